package frontier

import "fmt"

// A QueueBy says what takes turns: what is asked by no more than one queue, with
// one delay and one limit of requests at a time.
type QueueBy string

// What a queue may be of.
const (
	ByHost   QueueBy = "host"   // each host for itself
	ByDomain QueueBy = "domain" // all hosts of a registrable domain, by the public suffix list
	ByIP     QueueBy = "ip"     // all hosts at one address, once it is known
)

// UnmarshalText reads one of the constants.
func (q *QueueBy) UnmarshalText(b []byte) error {
	switch v := QueueBy(b); v {
	case ByHost, ByDomain, ByIP:
		*q = v
		return nil
	}
	return fmt.Errorf("%q is none of host, domain and ip", b)
}

// MarshalText writes the constant.
func (q QueueBy) MarshalText() ([]byte, error) { return []byte(q), nil }
