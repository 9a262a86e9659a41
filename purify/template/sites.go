package template

import (
	"gatecrawl.example/gatecrawl/store/kv"
)

// maxSites is how many records of hosts and folders stay decoded from one commit to the next, at
// most some 20 kB each. Decoding and encoding a host's record for each of its pages took a tenth of
// what a crawl allocates.
const maxSites = 256

// site returns the record of a place within a transaction. A caller that changes it calls keep.
func (l *Learner) site(tx kv.Tx, p place) (*siteRecord, error) {
	if r, ok := l.sites.of[p]; ok {
		return r, nil
	}
	if b := l.batch; b != nil && b.tx == tx {
		if r, ok := b.sites[p]; ok { // it was changed, and has been dropped from the cache since
			return r, nil
		}
	}
	r, err := readSite(tx, p)
	if err == nil {
		l.sites.add(p, r)
	}
	return r, err
}

// keep makes the commit write the record of a place, once however many pages change it.
func (l *Learner) keep(tx kv.Tx, p place, r *siteRecord) {
	b := l.change(tx)
	if len(b.sites) == 0 {
		tx.BeforeCommit(func() error {
			for p, r := range b.sites {
				if err := p.level().sites.Put(tx, p.key(), r.encode()); err != nil {
					return err
				}
			}
			clear(b.sites)
			return nil
		})
	}
	b.sites[p] = r
}

// A recent is a cache of the values of the latest places.
type recent[V any] struct {
	most int
	of   map[place]V
	ring []place // the keys of of, in the order of arrival
	next int     // index of the oldest one, once the ring is full
}

func newRecent[V any](most int) recent[V] { return recent[V]{most: most, of: make(map[place]V)} }

// add adds a place that is not in the cache; if the cache is full, it drops the oldest one.
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
