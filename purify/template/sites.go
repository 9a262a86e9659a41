package template

import "gatecrawl.example/gatecrawl/store/kv"

// maxSites is how many records of hosts and folders stay decoded from one commit to the next: at most
// some 20 kB each. Decoding and encoding a host's record for each of its pages took a tenth of what a
// crawl allocates.
const maxSites = 256

// A siteCache has the records of the places whose pages came last, as the commits so far and the one
// under way have left them. A commit that fails ends the store, so none of it is ever taken back.
type siteCache struct {
	records map[place]*siteRecord
	ring    []place // of records, in the order of arrival
	next    int     // the oldest of a full ring
}

// add keeps a record, in place of the oldest one if there are maxSites.
func (c *siteCache) add(p place, r *siteRecord) {
	if c.records == nil {
		c.records = make(map[place]*siteRecord)
	}
	if len(c.ring) < maxSites {
		c.ring = append(c.ring, p)
	} else {
		delete(c.records, c.ring[c.next])
		c.ring[c.next] = p
		c.next = (c.next + 1) % maxSites
	}
	c.records[p] = r
}

// site returns what is known of a place within a transaction. Whoever changes it calls keep.
func (l *Learner) site(tx kv.Tx, p place) (*siteRecord, error) {
	if r, ok := l.sites.records[p]; ok {
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
