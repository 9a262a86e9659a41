package metadata

import "testing"

func TestTitlesOfIssuesAreOneWithoutTheirNumbers(t *testing.T) {
	for title, want := range map[string]string{
		"Weekly update - July 12th, 2016": "weekly update #", "Weekly Update 3 May 2017": "weekly update #", "March report": "# report",
		"Relatório de março de 2019": "relatório de # de #", "주간 뉴스 2016년 7월 12일": "주간 뉴스 # 년 # 월 # 일", "科技周刊第十三期": "科技周刊第 # 期", "会報 第3号": "会報 第 # 号",
		"النشرة رقم ٣": "النشرة رقم #", "2016": "#", "Kites": "kites", "": "", "A4 paper": "a # paper", "3rd": "#", "一二三": "一二三",
	} {
		if got := Unnumbered(title); got != want {
			t.Errorf("%q is %q, want %q", title, got, want)
		}
	}
}
