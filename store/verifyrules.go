package store

import (
	"gatecrawl.example/gatecrawl"
	"gatecrawl.example/gatecrawl/frontier/weburl"
	"gatecrawl.example/gatecrawl/store/kv"
)

// rules checks that what URL rules left out is what is refused by them, that each
// of it can be found by its rule again, and that it is counted.
func (v *verifier) rules() error {
	listed := make(map[weburl.Key]bool)
	err := each(v.in, tableLeft, func(k, _ []byte) error {
		key := weburl.Key(k[8:])
		rec, ok, err := v.in.url(key)
		switch {
		case err != nil || !ok:
			return v.breach("every url that a rule left out is there", "%s is not (%v)", key, err)
		case rec.state == refused && rec.refusal.Rule == gatecrawl.RuleDust:
			listed[key] = true
			if known, err := v.knows(&rec); !known {
				return v.breach("every rule that left a url out is there", "%s: %q (%v)", rec.url, rec.refusal.Detail, err)
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	state, err := v.in.state()
	if err != nil {
		return v.breach("the totals can be read", "%v", err)
	}
	var kinds int64
	for _, n := range state.Totals.Avoided {
		kinds += n
	}
	if n := int64(len(listed)); n != state.Totals.Rules[gatecrawl.RuleDust] || n != kinds {
		return v.breach("the totals count what rules left out", "%d urls were left out; the totals count %d, by kind %d",
			n, state.Totals.Rules[gatecrawl.RuleDust], kinds)
	}
	return nil
}

// knows reports whether the rule that a URL was left out by is there.
func (v *verifier) knows(rec *urlRecord) (bool, error) {
	id, err := leftBy(rec)
	if err != nil {
		return false, err
	}
	return kv.Has(v.in, tableRules, seqKey(uint64(id)))
}
