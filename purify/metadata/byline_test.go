package metadata

import "testing"

func TestPersonName(t *testing.T) {
	for text, want := range map[string]string{
		"Ann Writer, May 6, 2024":  "Ann Writer",
		"by Ann Writer on May 6":   "Ann Writer",
		"Ann Writer | 5 min read":  "Ann Writer",
		"user4711":                 "user4711",
		"Ann WriterMay 6, 2024":    "Ann Writer",
		"Ann Writer\nEditor":       "Ann Writer",
		"AnnAnn":                   "Ann",
		"Ann Writer » Tue May 6":   "Ann Writer",
		"Joined:":                  "",
		"105464":                   "",
		"March":                    "",
		"注册":                       "",
		"the way, this is no name": "",
		"Join Date":                "",
		"":                         "",
		"李雷":                       "李雷",
		"A sentence that is far too long to be the name of anybody alive": "",
	} {
		if got := personName(text); got != want {
			t.Errorf("personName(%q) = %q, want %q", text, got, want)
		}
	}
}

func TestURLDay(t *testing.T) {
	for url, want := range map[string]string{
		"https://h.example/2024/05/06/bees":         "2024-05-06",
		"https://h.example/c/2024-05-06.html":       "2024-05-06",
		"https://h.example/n1/2024/0506/c1-2.html":  "2024-05-06",
		"https://h.example/a/202405/06/WS66.html":   "2024-05-06",
		"https://h.example/t20240506_152.htm":       "2024-05-06",
		"https://h.example/2024-05/06/content.html": "2024-05-06",
		"https://h.example/1202405061.html":         "",
		"https://h.example/2024050612.html":         "",
		"https://h.example/2024/13/06/":             "",
		"https://h.example/2024":                    "",
		"":                                          "",
	} {
		if got := urlDay(url); got != want {
			t.Errorf("urlDay(%q) = %q, want %q", url, got, want)
		}
	}
}
