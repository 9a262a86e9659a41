package dedup

import "testing"

// Below a page that says hardly anything, the year at the foot of each version of a manual is much of what is compared.
func TestTheYearOfACopyrightIsNoPartOfAPage(t *testing.T) {
	page := func(of, foot string) string {
		return `<html lang="en"><head><title>Uses of Class ` + of + ` (Kites API)</title></head><body><main><h1>Uses of Class<br>` + of + `</h1><div>No usage of ` + of + `</div></main>
<footer><p>` + foot + `</p></footer></body></html>`
	}
	site := pagesAmong(t, map[string]string{
		"/1.0/use/Sail.html": page("kites.rigs.Sail", "Copyright © 2019. All rights reserved."), "/2.0/use/Sail.html": page("kites.rigs.Sail", "Copyright © 2022. All rights reserved."),
		"/1.0/use/Rope.html": page("kites.rigs.Rope", "Copyright © 2019. All rights reserved."),
	})
	areOne(t, site, []twoPages{{"/1.0/use/Sail.html", "/2.0/use/Sail.html", true}, {"/1.0/use/Sail.html", "/1.0/use/Rope.html", false}})
}
