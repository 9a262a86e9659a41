package dust

import "gatecrawl.example/gatecrawl/frontier/weburl"

// A ListTrial finds the URLs of a list that are equivalent by a set of rules.
type ListTrial struct {
	book *Book
	met  map[uint64][]weburl.URL // by form
}

// A Tried is the result for one URL of a list.
type Tried struct {
	URL   string   `json:"url"`
	Same  string   `json:"same,omitempty"`  // an earlier URL of the list with the same page
	Rules []string `json:"rules,omitempty"` // by which they are the same
}

// NewListTrial returns a trial of rules, independent of the settings of the job that learned them.
func NewListTrial(rs []Learned) *ListTrial {
	o := DefaultOptions()
	o.Learn = LearnSkip
	o.MaxRules = max(o.MaxRules, len(rs))
	t := &ListTrial{NewBook(o), make(map[uint64][]weburl.URL)}
	for _, r := range rs {
		t.book.Put(r.Rule, r.Stats)
	}
	return t
}

// Add takes the next URL of the list, and reports whether it is equivalent to an earlier one by
// rules that leave URLs out.
func (t *ListTrial) Add(u weburl.URL) Tried {
	came := Tried{URL: u.String()}
	template, forms := Template(u), t.book.Forms(u, Skip)
	for _, f := range forms {
		for _, v := range t.met[f] {
			ds, ok := Compare(u, v)
			if tier, why, _ := t.book.Judge(ds, template); ok && tier == Skip && came.Same == "" {
				came.Same = v.String()
				for _, r := range why {
					came.Rules = append(came.Rules, r.ID().String())
				}
			}
		}
	}
	if came.Same == "" {
		for _, f := range forms {
			t.met[f] = append(t.met[f], u)
		}
	}
	return came
}
