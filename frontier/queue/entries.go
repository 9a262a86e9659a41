package queue

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"slices"

	"gatecrawl.example/gatecrawl/frontier/weburl"
	"gatecrawl.example/gatecrawl/store/kv"
)

// The tables of a Queue. Rows of hosts, URLs and entries are written in no order and in great
// number.
var (
	TableHosts   = &kv.Table{Name: "hosts", ID: 'h'}            // by the host's key
	TableEntries = &kv.Table{Name: "queue", ID: 'q', Filter: 6} // by the host's key and the position: the rest of the URL's key
	TableURLs    = &kv.Table{Name: "urls", ID: 'u', Filter: 16} // by the URL's key

	TableLater = &kv.Table{Name: "later"} // by time and the URL's key
)

func hostIn(entryKey []byte) []byte     { return entryKey[:6] }
func positionIn(entryKey []byte) []byte { return entryKey[6:] }

// KeyOf returns the key of the URL of a row of TableEntries.
func KeyOf(k, tail []byte) (u weburl.Key) {
	copy(u[:6], hostIn(k))
	copy(u[6:], tail)
	return u
}

// Get reads the record of a URL; ok is false if the URL is not known.
func Get(r kv.Reader, k weburl.Key) (rec Record, ok bool, err error) {
	b, err := r.Get(TableURLs, k[:])
	if err != nil || b == nil {
		return rec, false, err
	}
	if rec, err = Decode(b); err != nil {
		return rec, false, fmt.Errorf("url %s: %w", k, err)
	}
	return rec, true, nil
}

// A snapshotOf is a snapshot of the tables.
type snapshotOf struct{ kv.Reader }

func (in snapshotOf) url(k weburl.Key) (Record, bool, error) { return Get(in, k) }

func (in snapshotOf) heads(h weburl.HostKey, from position, limit int, skip func(weburl.Key) bool) (es []entry, more bool, err error) {
	start := append(h[:len(h):len(h)], from[:]...)
	for e, err := range kv.PrefixFrom(in, TableEntries, h[:], start) {
		if err != nil {
			return es, more, err
		}
		u := KeyOf(e.Key, e.Value)
		switch {
		case skip(u):
		case len(es) == limit:
			return es, true, nil
		default:
			es = append(es, entry{position(positionIn(e.Key)), [10]byte(e.Value)})
		}
	}
	return es, more, nil
}

// A position is the place of an entry in its host's queue: by falling score, then by rising order.
type position [12]byte

func positionOf(score float32, order uint64) (p position) {
	binary.BigEndian.PutUint32(p[:], ^sortable(score))
	binary.BigEndian.PutUint64(p[4:], order)
	return p
}

func (p position) before(q position) bool { return bytes.Compare(p[:], q[:]) < 0 }

// endOfQueue is where no entry of a queue stands behind.
var endOfQueue = position(bytes.Repeat([]byte{0xff}, len(position{})))

// rank is higher for positions with a lower score.
func (p position) rank() uint32 { return binary.BigEndian.Uint32(p[:]) }

func (p position) score() float32 { return unsortable(^binary.BigEndian.Uint32(p[:])) }

// A entry is an entry of a host's queue.
type entry struct {
	at   position
	tail [10]byte // the rest of the URL's key, without the host
}

func (w entry) key(h weburl.HostKey) (k weburl.Key) {
	copy(k[:6], h[:])
	copy(k[6:], w.tail[:])
	return k
}

// EntryKey returns the key in TableEntries of a URL of the host: entries are sorted by score, and
// then by order.
func EntryKey(host weburl.HostKey, score float32, order uint64) []byte {
	p := positionOf(score, order)
	return append(host[:], p[:]...)
}

// Heads returns the URL keys of the n entries with the highest scores of all hosts, the best first;
// of equal scores those that were found first.
func Heads(ctx context.Context, r kv.Reader, n int) ([]weburl.Key, error) {
	type head struct {
		at  position
		key weburl.Key
	}
	var best []head
	seen := 0
	for e, err := range kv.All(r, TableEntries) {
		if err != nil {
			return nil, err
		}
		if seen++; seen%10_000 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		h := head{position(positionIn(e.Key)), KeyOf(e.Key, e.Value)}
		at, _ := slices.BinarySearchFunc(best, h, func(a, b head) int { return bytes.Compare(a.at[:], b.at[:]) })
		if at < n {
			best = slices.Insert(best, at, h)
			best = best[:min(n, len(best))]
		}
	}
	keys := make([]weburl.Key, len(best))
	for i, h := range best {
		keys[i] = h.key
	}
	return keys, nil
}
