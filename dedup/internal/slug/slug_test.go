package slug

import (
	"slices"
	"strings"
	"testing"
)

func TestWords(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"heizung-moenchengladbach", "Heizung in Mönchengladbach", "Mönchengladbach"},
		{"heizung-monchengladbach.html", "Heizung in Mönchengladbach", "Mönchengladbach"},
		{"strasse", "Straße", "Straße"},
		{"cafe-creme", "Café Crème", "Café Crème"},
		{"kobenhavn", "København", "København"},
		{"lodz", "Łódź", "Łódź"},
		{"ha-noi", "Hà Nội", "Hà Nội"},
		{"moskva", "Москва", "Москва"},
		{"khoroshij-den", "Хороший день", "Хороший день"},
		{"horoshiy-den", "Хороший день", "Хороший день"},
		{"agora", "Αγορά", "Αγορά"},
		{"beijingtianqi", "北京天气", "北京天气"},
		{"bei-jing-tian-qi", "北京天气", "北京天气"},
		{"page-7", "Mönchengladbach", ""},
		{"plain", "plain", ""},
		{"grün", "Grün", ""}, // it needs no spelling
		{"", "Ünna", ""},
		{"x", strings.Repeat("ü", mostSaid), ""},
	} {
		want := strings.Fields(c.want)
		if got := Words(c.name, c.text); !slices.Equal(got, want) {
			t.Errorf("Words(%q, %q) = %q, want %q", c.name, c.text, got, want)
		}
	}
}
