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

func TestOwn(t *testing.T) {
	for _, c := range []struct{ title, other, want string }{
		{"東京支社", "大阪支社", "東京"},
		{"表总行数", "目标表总行数", ""},
		{"目标表总行数", "表总行数", "目"}, // the other has a character of the sound of 标,
		{"北京 和 上海", "和", "北京 上海"},
		{"تقرير القاهرة", "تقرير بغداد", "القاهرة"},
		{"Отчёт Вена", "Отчёт Прага", "Вена"},
		{"簡介", "简介", ""},
		{"第二章", "第一章", ""},
		{"简介 - 北方网", "简介", ""},
		{"简介", "简介 | 北方网", ""},
		{"简介 - 北方网", "历史 - 北方网", "简介"},
		{"Kites 2.0", "Sails", ""},
		{"Drachen über Ünna", "Drachen", ""},
		{"", "简介", ""},
		{strings.Repeat("简", mostSaid), "介", ""},
	} {
		if got := Own(c.title, c.other); !slices.Equal(got, strings.Fields(c.want)) {
			t.Errorf("Own(%q, %q) = %q, want %q", c.title, c.other, got, c.want)
		}
	}
}
