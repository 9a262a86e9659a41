package dedup

import "testing"

// odoc's title has the innermost module alone: the parameters of two functors have one title and the same signature. What a module has once more
// in another version of its package is one with it.
func TestParametersOfTwoFunctorsAreTwoInOdoc(t *testing.T) {
	page := func(title, path, more string) string {
		return `<html lang="en"><head><title>` + title + `</title></head><body><nav>Up – Index » ` + path + `</nav><main><h1>` + title + `</h1>` + described(0, 6) + more + `</main></body></html>`
	}
	site := pagesAmong(t, map[string]string{
		"/kites/Kites/Weak/Make/argument-1-H/index.html":     page("Parameter Make.H", "kites » Kites » Weak » Make » H", ""),
		"/kites/Kites/Strong/Make/argument-1-H/index.html":   page("Parameter Make.H", "kites » Kites » Strong » Make » H", ""),
		"/2.0/kites/Kites/Weak/Make/argument-1-H/index.html": page("Parameter Make.H", "kites 2.0 » Kites » Weak » Make » H", "<div>val most : int</div>"),
		"/kites/Kites/Rope/module-type-S/index.html":         page("Module type Rope.S", "kites » Kites » Rope » S", ""),
		"/kites/Kites/Rope/module-type-SeededS/index.html":   page("Module type Rope.SeededS", "kites » Kites » Rope » SeededS", "<div>val seed : int</div>"),
	})
	areOneByRule(t, site, []twoPages{
		{"/kites/Kites/Weak/Make/argument-1-H/index.html", "/kites/Kites/Strong/Make/argument-1-H/index.html", false},
		{"/kites/Kites/Weak/Make/argument-1-H/index.html", "/2.0/kites/Kites/Weak/Make/argument-1-H/index.html", true},
		{"/kites/Kites/Rope/module-type-S/index.html", "/kites/Kites/Rope/module-type-SeededS/index.html", false},
	})
}
