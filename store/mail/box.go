package mail

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"maps"
	"sync"

	"gatecrawl.example/gatecrawl/store/kv"
)

var (
	// tableOutbox has the messages that are not known to be applied, by receiver and number.
	tableOutbox = &kv.Table{Name: "outbox", Fill: .95}

	// tableCounts has numbers of messages: "o" and a receiver is the key of the last one that was
	// posted, "i" and a sender that of the last one that was applied.
	tableCounts = &kv.Table{Name: "mail"}
)

// Tables returns the tables of a Box.
func Tables() []*kv.Table { return []*kv.Table{tableOutbox, tableCounts} }

// KeyLengths returns how many bytes every key of a table has.
func KeyLengths() map[*kv.Table]int { return map[*kv.Table]int{tableOutbox: 12, tableCounts: 5} }

// A Message is what one store sends to another.
type Message struct {
	N    uint64 // counted from 1 for each pair of stores
	Body []byte
}

// A Box has the mail of one store. Its methods may be called from many goroutines, except those
// that take a kv.Tx, which are for the writer.
type Box struct {
	mu      sync.Mutex
	posted  map[uint32]uint64 // by receiver: the last that is durable
	sent    map[uint32]uint64 // by receiver: the last that is known to be applied
	cleaned map[uint32]uint64 // by receiver: the last that was deleted

	batch map[uint32]uint64 // the writer's: posted by the commit under way
	tx    kv.Tx             // of batch
}

// Posts reports whether a store has ever posted or applied a message: every partition of a divided
// job has.
func Posts(r kv.Reader) (bool, error) {
	_, ok, err := kv.First(kv.All(r, tableCounts))
	return ok, err
}

// Load loads the mail of a store.
func Load(r kv.Reader) (*Box, error) {
	b := &Box{posted: make(map[uint32]uint64), sent: make(map[uint32]uint64), cleaned: make(map[uint32]uint64)}
	err := kv.Each(r, tableCounts, func(k, v []byte) error {
		if len(k) != 5 || len(v) != 8 {
			return fmt.Errorf("mail: a count of %d and %d bytes", len(k), len(v))
		}
		if k[0] == 'o' {
			b.posted[binary.BigEndian.Uint32(k[1:])] = binary.BigEndian.Uint64(v)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	for to, last := range b.posted {
		first, ok, err := kv.First(kv.Prefix(r, tableOutbox, outKey(to, 0)[:4]))
		if err != nil {
			return nil, err
		}
		b.sent[to] = last
		if ok {
			b.sent[to] = binary.BigEndian.Uint64(first.Key[4:]) - 1
		}
		b.cleaned[to] = b.sent[to]
	}
	return b, nil
}

func outKey(to uint32, n uint64) []byte {
	return binary.BigEndian.AppendUint64(binary.BigEndian.AppendUint32(nil, to), n)
}

func counter(which byte, store uint32) kv.Counter {
	return kv.Counter{Table: tableCounts, Key: binary.BigEndian.AppendUint32([]byte{which}, store)}
}

// Post puts a message into the outbox. It can be sent after the commit.
func (b *Box) Post(tx kv.Tx, to uint32, body []byte) error {
	n, err := counter('o', to).Next(tx)
	if err != nil {
		return fmt.Errorf("outbox: %w", err)
	}
	tx.Put(tableOutbox, outKey(to, n), body)
	if b.tx != tx {
		b.tx, b.batch = tx, make(map[uint32]uint64)
		tx.OnCommit(b.committed)
	}
	b.batch[to] = n
	return nil
}

func (b *Box) committed() {
	b.mu.Lock()
	defer b.mu.Unlock()
	maps.Copy(b.posted, b.batch)
	b.tx, b.batch = nil, nil
}

// Posted returns the number of the last message to a store.
func (b *Box) Posted(to uint32) uint64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.posted[to]
}

// Unsent returns how many messages are not known to be applied, by receiver.
func (b *Box) Unsent() map[uint32]uint64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	n := make(map[uint32]uint64)
	for to, last := range b.posted {
		if last > b.sent[to] {
			n[to] = last - b.sent[to]
		}
	}
	return n
}

// Waiting returns at most `most` messages to a store that are not known to be applied, oldest
// first.
func (b *Box) Waiting(r kv.Reader, to uint32, most int) (ms []Message, err error) {
	b.mu.Lock()
	after := b.sent[to]
	b.mu.Unlock()
	for e, err := range r.Scan(tableOutbox, outKey(to, after+1), kv.After(outKey(to, 0)[:4])) {
		if err != nil {
			return nil, fmt.Errorf("outbox: %w", err)
		}
		ms = append(ms, Message{binary.BigEndian.Uint64(e.Key[4:]), bytes.Clone(e.Value)})
		if len(ms) == most {
			break
		}
	}
	return ms, nil
}

// Sent says up to which number a store has applied messages of this one. Clean deletes them.
func (b *Box) Sent(to uint32, through uint64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.sent[to] = max(b.sent[to], through)
}

// Clean deletes messages that were applied, as part of a commit.
func (b *Box) Clean(tx kv.Tx) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for to, through := range b.sent {
		for n := b.cleaned[to] + 1; n <= through; n++ {
			tx.Delete(tableOutbox, outKey(to, n))
		}
		b.cleaned[to] = max(b.cleaned[to], through)
	}
}

// Receive applies those messages of a store that are next in order: the one with the next number,
// and those that follow it without a gap. Others are ignored. It returns the number up to which all
// are applied, or the error of apply.
func (b *Box) Receive(tx kv.Tx, from uint32, ms []Message, apply func(Message) error) (through uint64, err error) {
	c := counter('i', from)
	if through, err = c.Get(tx); err != nil {
		return 0, fmt.Errorf("inbox: %w", err)
	}
	was := through
	for _, m := range ms {
		if m.N != through+1 {
			continue
		}
		if err := apply(m); err != nil {
			return through, fmt.Errorf("message %d of %d: %w", m.N, from, err)
		}
		through++
	}
	if through > was {
		c.Set(tx, through)
	}
	return through, nil
}

// Received returns the number up to which messages of a store are applied.
func Received(r kv.Reader, from uint32) (uint64, error) { return counter('i', from).Get(r) }
