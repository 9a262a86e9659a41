package seeds_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"gatecrawl.example/gatecrawl/frontier/seeds"
)

func TestTheColumnThatIsNamedHasTheURLs(t *testing.T) {
	for _, c := range []struct{ list, column, want string }{
		{"id,Home page,url\n1,a.example/x,https://cdn.example/\n", "home page", "2 https://a.example/x"},
		{"id;site;note\n1;a.example;b.example\n2;;c.example\n", "3", "2 https://b.example/|3 https://c.example/"},
		{"1,a.example\n2,b.example\n", "2", "1 https://a.example/|2 https://b.example/"},
		{"a,b\nc.example,d.example\n", "target", `list:0: there is no column "target"; the first line has a, b`},
		{"a,b\n", "3", "list:0: column 3: the first line has 2"},
	} {
		var got []string
		for s, err := range seeds.ReadColumn(strings.NewReader(c.list), "list", c.column) {
			if err != nil {
				got = append(got, strings.Replace(err.Error(), "list: ", "list:0: ", 1))
				continue
			}
			got = append(got, fmt.Sprint(s.Line, " ", s.URL))
		}
		if got := strings.Join(got, "|"); got != c.want {
			t.Errorf("column %s of %q: %s, want %s", c.column, c.list, got, c.want)
		}
	}
}

func TestABadURLOfACSVFileIsNamedAsItStandsInItsColumn(t *testing.T) {
	for _, err := range seeds.ReadColumn(strings.NewReader("rank,site\n1,gopher://a\n"), "list", "site") {
		if bad, ok := errors.AsType[*seeds.LineError](err); !ok || bad.Text != "gopher://a" || bad.Line != 2 {
			t.Errorf("the error is %#v, want one of line 2 with the text gopher://a", err)
		}
	}
}
