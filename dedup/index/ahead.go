package index

import (
	"gatecrawl.example/gatecrawl/dedup/index/internal/lanes"
)

// mostAhead is how much readAhead reads at most, in bytes: the tables of some 18 million kept
// pages. The rest is read when a query needs it.
const mostAhead = 2 << 30

// readAhead reads and checks the tables of runs that were there on opening. Otherwise each of the
// first queries would read and check as many parts as it looks into. It starts with the tables that
// every page's query uses. It ends when all or mostAhead is read, or the catalog stops.
func (x *Catalog) readAhead(runs []*run) {
	defer close(x.ahead)
	left := mostAhead
	read := func(bytes int, part func()) bool {
		if left -= bytes; left < 0 || x.stop.Load() {
			return false
		}
		part()
		return true
	}
	for _, tables := range []func(r *run) bool{
		func(r *run) bool { return r.readHeads(BytesHeads, read) },
		func(r *run) bool { return r.readHeads(BodyHeads, read) },
		func(r *run) bool { return r.readHalves(read) },
		func(r *run) bool { return r.readHeads(bandHeads, read) },
		func(r *run) bool { return r.readOutlines(read) },
	} {
		for _, r := range runs {
			if !tables(r) {
				return
			}
		}
	}
}

func (r *run) readHalves(read func(bytes int, part func()) bool) bool {
	for i := range 2 * lanes.Segments {
		if s := r.h.unreadSegment(i); s != nil && !read(int(s.bytes()), func() { r.h.segment(i) }) {
			return false
		}
	}
	return true
}

func (r *run) readHeads(t HeadTable, read func(bytes int, part func()) bool) bool {
	h := &r.heads[t]
	for i := range headShards {
		if !read(8*int(h.ends[(i+1)<<8]-h.ends[i<<8]), func() { h.shard(i) }) {
			return false
		}
	}
	return true
}

func (r *run) readOutlines(read func(bytes int, part func()) bool) bool {
	for i := range r.known.sums {
		if !read(outlinesShard*OutlineSize, func() { r.known.shard(i) }) {
			return false
		}
	}
	return true
}
