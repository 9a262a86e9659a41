package store

import (
	"bytes"
	"context"

	"gatecrawl.example/gatecrawl/frontier/weburl"
	"gatecrawl.example/gatecrawl/store/kv"
)

// hostsOf returns the hosts of a registrable domain. Their names are in their records.
func (s *Store) hostsOf(domain string) (hs []weburl.HostKey, err error) {
	err = s.kv.View(context.Background(), func(r kv.Reader) error {
		return each(r, tableHosts, func(_, v []byte) error {
			if !bytes.Contains(v, []byte(domain)) {
				return nil
			}
			h, err := decodeHost(v)
			if err != nil {
				return err
			}
			if u, err := weburl.Parse("http://" + h.name + "/"); err == nil && u.Domain() == domain {
				hs = append(hs, u.Key().Host())
			}
			return nil
		})
	}, tableHosts)
	return hs, err
}
