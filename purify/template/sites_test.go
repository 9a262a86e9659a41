package template

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"

	"gatecrawl.example/gatecrawl/frontier/weburl"
	"gatecrawl.example/gatecrawl/purify"
	"gatecrawl.example/gatecrawl/store/kv"
)

// More hosts learn than stay decoded, in commits of many pages, and the job is opened again in
// between. What each has learned is what its pages alone teach.
func TestRecordsOfMoreHostsThanStayDecoded(t *testing.T) {
	j, seed := newJob(t), rand.Uint64()
	t.Log("seed", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	alone := make(map[string]*purify.Site)
	for n := range 30 {
		j.update(func(tx kv.Tx) error {
			for range 100 {
				host := fmt.Sprintf("h%d.example", random.IntN(maxSites*3/2))
				if n%3 == 0 {
					host = "often.example" // many pages of one commit are its
				}
				v := j.visit(host, random.IntN(50))
				if alone[host] == nil {
					alone[host] = new(purify.Site)
				}
				if alone[host].Wants(v.Prints) && !alone[host].Met(v.Prints) {
					alone[host].Learn(v.Prints)
				}
				j.settle(tx, v, copied{})
			}
			return nil
		})
		if n%7 == 0 {
			j.open(Options{})
		}
	}
	j.update(func(tx kv.Tx) error {
		for host, site := range alone {
			h := weburl.HostKeyOf(host)
			r, err := readSite(tx, place{host: h})
			if err != nil {
				return err
			}
			if !bytes.Equal(r.site.Bytes(), site.Bytes()) {
				t.Errorf("%s: what is stored is not what its pages teach", host)
			}
		}
		return nil
	})
}
