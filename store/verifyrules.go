package store

import (
	"errors"

	"gatecrawl"
	"gatecrawl/frontier"
)

// rules checks that what URL rules left out is what is refused by them, that each
// of it can be found by its rule again, and that it is counted.
func (v *verifier) rules() error {
	listed := make(map[frontier.Key]bool)
	var fault error
	err := v.in.table.Range([]byte{kindLeft}, nil, func(k, _ []byte) bool {
		key := frontier.Key(k[9:])
		rec, ok, err := v.in.url(key)
		switch {
		case err != nil || !ok:
			fault = v.breach("every url that a rule left out is there", "%s is not (%v)", key, err)
		case rec.state == refused && rec.refusal.Rule == gatecrawl.RuleDust:
			listed[key] = true
			if known, err := v.knows(&rec); !known {
				fault = v.breach("every rule that left a url out is there", "%s: %q (%v)", rec.url, rec.refusal.Detail, err)
			}
		}
		return fault == nil
	})
	if err := errors.Join(err, fault); err != nil {
		return err
	}
	var state jobState
	if err := unmarshalState(v.tx, &state); err != nil {
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
	_, ok, err := v.in.table.Get(wordKey(kindRule, uint64(id)))
	return ok, err
}
