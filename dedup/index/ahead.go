package index

import (
	"gatecrawl.example/gatecrawl/dedup/index/internal/lanes"
)

// mostAhead bounds what readAhead reads, in bytes: the tables of some 18 million
// kept pages. What is beyond it is read when it is asked for.
const mostAhead = 2 << 30

// readAhead reads and checks the tables of runs that were there on opening, so that
// the first questions need not: each of them would read and sum up as many parts as
// it asks. What every page's question goes to comes first. It ends when all is read,
// or much, or the catalog stops.
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
