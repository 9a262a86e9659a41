package purify

import (
	"fmt"
	"strings"
	"testing"
)

// recordPage is a page of a site whose pages are records: what it says of something in a table, and below that the source.
func recordPage(title, heading, facts, sections string) string {
	return fmt.Sprintf(`<html><head><title>%s</title></head><body><div id="header"><h1>The Hill Family</h1></div>
<div id="nav" role="navigation"><ul><li><a href="/people.html">People</a></li><li><a href="/events.html">Events</a></li><li><a href="/places.html">Places</a></li></ul></div>
<div class="content"><h3>%s</h3>%s%s</div>
<div id="footer"><p>Made with Pedigree. Last change on 2022-07-17 17:22:59</p></div></body></html>`, title, heading, facts, sections)
}

const recordSource = `<div class="subsection"><h4>Sources</h4><ol><li>Register of births, page 12</li><li>Transcript:
<p>Births registered in the district of Malvern: on the fourth of May there came John Hill the smith, and said that a boy was born to his wife Anne in the house below the mill.</p></li></ol></div>`

func TestTheFactsOfARecordAreInItsBody(t *testing.T) {
	table := `<table><tr><td>Date</td><td>1874-05-04</td></tr><tr><td>Place</td><td><a href="/plc/1.html">Malvern, Worcester</a></td></tr></table>`
	for name, c := range map[string]struct {
		facts string
		want  []string
	}{
		"a table":            {table, []string{"Birth", "Date", "1874-05-04", "Malvern, Worcester"}},
		"a list of terms":    {`<dl><dt>Date</dt><dd>1874-05-04</dd><dt>Place</dt><dd><p>Malvern, Worcester</p></dd></dl>`, []string{"1874-05-04", "Malvern, Worcester"}},
		"rows of two labels": {`<table><tr><td>Married</td><td>Husband</td><td><a href="/p/1">Hill, John</a></td></tr><tr><td>Married</td><td>Wife</td><td><a href="/p/2">Hill, Anne</a></td></tr></table>`, []string{"Husband", "Hill, John", "Wife", "Hill, Anne"}},
		"below a subheading": {`<div><h4>Event</h4>` + table + `</div>`, []string{"Birth", "1874-05-04", "Malvern, Worcester"}},
	} {
		body := PurifyAt("http://hills.example/evt/0f3a.html", []byte(recordPage("The Hill Family - Events", "Birth", c.facts, recordSource)), "text/html").Body
		for _, want := range append(c.want, "Register of births, page 12", "Births registered in the district") {
			if !strings.Contains("\n"+body+"\n", "\n"+want) {
				t.Errorf("%s: the body lacks %q:\n%s", name, want, body)
			}
		}
		for _, not := range []string{"People", "Last change"} {
			if strings.Contains(body, not) {
				t.Errorf("%s: the body has %q of the frame:\n%s", name, not, body)
			}
		}
	}
}

func TestAFooterWithADayIsNotTheBodyOfAPageWithText(t *testing.T) {
	refs := `<div class="subsection"><h4>References</h4><ol><li><a href="/ppl/1.html">Hill, John</a></li><li><a href="/ppl/2.html">Hill, Anne</a></li></ol></div>`
	page := func(n int) string {
		return strings.Replace(recordPage("The Hill Family - Places", fmt.Sprintf("Malvern%d", n), "", strings.ReplaceAll(refs, "Hill, ", fmt.Sprintf("Hill%d, ", n))), "17:22:59", fmt.Sprintf("17:22:%02d", n), 1)
	}
	var h host
	for n := range 12 {
		h.meet(page(n))
	}
	for name, template := range map[string]*Template{"the first page": nil, "a later one": h.template} {
		v, _ := PurifyOn(template, "http://a.test/plc/20.html", []byte(page(20)), "text/html")
		if !strings.Contains(v.Body, "Hill20, John") || strings.Contains(v.Body, "Last change") {
			t.Errorf("the body of %s is %q", name, v.Body)
		}
	}
}
