package frontier

import (
	"github.com/cespare/xxhash/v2"

	"gatecrawl.example/gatecrawl/frontier/weburl"
)

// MaxPartitions is how many partitions a job may have.
const MaxPartitions = 4096

// A Places says which partition of a job a URL belongs to. All hosts of a registrable domain belong
// to one, so that politeness, URL rules, templates and most links concern one partition only. The
// zero Places has one partition.
type Places struct {
	N uint32 // partitions; it never changes in a job
}

// Of returns the partition of a URL, counted from 0.
func (p Places) Of(u weburl.URL) uint32 {
	if p.N <= 1 {
		return 0
	}
	return uint32(xxhash.Sum64String(u.Domain()) % uint64(p.N))
}
