package hint

import "testing"

func TestAWidgetOfElementorIsNotAtTheSide(t *testing.T) {
	for class, want := range map[string]bool{
		"elementor-element elementor-element-7d4d57c2 elementor-widget elementor-widget-text-editor": false,
		"elementor-widget-wrap elementor-element-populated":                                          false,
		"elementor-widget elementor-widget-sidebar":                                                  true,
		"widget widget_recent_entries":                                                               true,
		"elementor-element widget":                                                                   true,
	} {
		if got := Names().Find([]byte(class))&SaysSide != 0; got != want {
			t.Errorf("%q says that it is at the side: %v, want %v", class, got, want)
		}
	}
}
