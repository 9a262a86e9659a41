package store

import (
	"context"

	"gatecrawl.example/gatecrawl/frontier/queue"
	"gatecrawl.example/gatecrawl/frontier/weburl"
	"gatecrawl.example/gatecrawl/store/kv"
)

// hostsOf returns the hosts of a registrable domain.
func (s *Store) hostsOf(domain string) (hs []weburl.HostKey, err error) {
	err = s.kv.View(context.Background(), func(r kv.Reader) (err error) {
		hs, err = queue.HostsOf(r, domain)
		return err
	}, queue.TableHosts)
	return hs, err
}
