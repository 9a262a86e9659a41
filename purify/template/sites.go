package template

import (
	"gatecrawl.example/gatecrawl/store/kv"
)

// maxSites is how many records of hosts and folders stay decoded from one commit to the next: at most
// some 20 kB each. Decoding and encoding a host's record for each of its pages took a tenth of what a
// crawl allocates.
const maxSites = 256

// site returns what is known of a place within a transaction. Whoever changes it calls keep.
func (l *Learner) site(tx kv.Tx, p place) (*siteRecord, error) {
	if r, ok := l.sites.of[p]; ok {
		return r, nil
	}
	if b := l.batch; b != nil && b.tx == tx {
		if r, ok := b.sites[p]; ok { // it was changed, and others took its place since
			return r, nil
		}
	}
	r, err := readSite(tx, p)
	if err == nil {
		l.sites.add(p, r)
	}
	return r, err
}

// keep has the record of a place written with the commit, once however many pages change it.
func (l *Learner) keep(tx kv.Tx, p place, r *siteRecord) {
	b := l.change(tx)
	if len(b.sites) == 0 {
		tx.BeforeCommit(func() error {
			for p, r := range b.sites {
				tx.Put(p.level().sites, p.key(), r.encode())
			}
			clear(b.sites)
			return nil
		})
	}
	b.sites[p] = r
}

// A recent has what is known of the places that came last, at most so many.
type recent[V any] struct {
	most int
	of   map[place]V
	ring []place // of of, in the order of arrival
	next int     // the oldest of a full ring
}

func newRecent[V any](most int) recent[V] { return recent[V]{most: most, of: make(map[place]V)} }

// add takes in a place that is not there, for the oldest one if there are most.
func (r *recent[V]) add(p place, v V) {
	if len(r.ring) < r.most {
		r.ring = append(r.ring, p)
	} else {
		delete(r.of, r.ring[r.next])
		r.ring[r.next] = p
		r.next = (r.next + 1) % r.most
	}
	r.of[p] = v
}
