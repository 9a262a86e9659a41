package frontier

import "fmt"

// A QueueBy says which hosts share a queue, with one delay and one limit of concurrent
// requests.
type QueueBy string

// The kinds of queues.
const (
	ByHost   QueueBy = "host"   // one for each host
	ByDomain QueueBy = "domain" // one for all hosts of a registrable domain, by the public suffix list
	ByIP     QueueBy = "ip"     // one for all hosts at an IP address, once it is known
)

// UnmarshalText reads one of the constants.
func (q *QueueBy) UnmarshalText(b []byte) error {
	switch v := QueueBy(b); v {
	case ByHost, ByDomain, ByIP:
		*q = v
		return nil
	}
	return fmt.Errorf("invalid queue-by %q: want host, domain or ip", b)
}

// MarshalText writes the constant.
func (q QueueBy) MarshalText() ([]byte, error) { return []byte(q), nil }
