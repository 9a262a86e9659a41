package frontier

import "fmt"

// A HostOrder says which hosts come first in a list.
type HostOrder string

// The orders of hosts.
const (
	HostsByQueue    HostOrder = "queue"    // those with the longest queues; the default
	HostsByFetched  HostOrder = "fetched"  // all, those with the most requests first
	HostsByFailures HostOrder = "failures" // those that failed most often in a row; no others
	HostsRetried    HostOrder = "retry"    // those with URLs that are tried again, the soonest first; no others
	HostsInHand     HostOrder = "hand"     // those that are being asked, the longest first; no others
	HostsParked     HostOrder = "parked"   // those that are left alone, the longest first; no others
	HostsByHarvest  HostOrder = "harvest"  // those whose answers were most relevant, in a focused crawl; no others
)

// HostOrders are all orders of hosts.
var HostOrders = []HostOrder{HostsByQueue, HostsByFetched, HostsByFailures, HostsRetried, HostsInHand, HostsParked, HostsByHarvest}

// ParseHostOrder reads an order; "" is HostsByQueue.
func ParseHostOrder(s string) (HostOrder, error) {
	if s == "" {
		return HostsByQueue, nil
	}
	for _, o := range HostOrders {
		if s == string(o) {
			return o, nil
		}
	}
	return "", fmt.Errorf("%q is not an order of hosts: want one of %v", s, HostOrders)
}
