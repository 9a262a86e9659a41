package jetstream

import (
	"strings"

	"github.com/nats-io/nats-server/v2/server"
)

// Sent returns how many messages and bytes a server has sent: to clients and to the
// other servers.
func (s *Server) Sent() (messages, bytes int64, err error) {
	v, err := s.nats.Varz(&server.VarzOptions{})
	if err != nil {
		return 0, 0, err
	}
	return v.OutMsgs, v.OutBytes, nil
}

// Ends returns the number of the last entry that a server has itself, by log.
func (s *Server) Ends() (map[string]uint64, error) {
	v, err := s.nats.Jsz(&server.JSzOptions{Accounts: true, Streams: true})
	if err != nil {
		return nil, err
	}
	ends := make(map[string]uint64)
	for _, a := range v.AccountDetails {
		for _, stream := range a.Streams {
			ends[strings.TrimPrefix(stream.Name, "crawl-log-")] = stream.State.LastSeq
		}
	}
	return ends, nil
}

var Encode, Decode = encode, decode

// LastError is the last thing that went wrong on the connection, such as messages that were dropped.
func (e *Engine) LastError() error { return e.nc.LastError() }
