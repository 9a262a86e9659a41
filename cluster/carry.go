package cluster

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"gatecrawl.example/gatecrawl/cluster/internal/rpc"
	"gatecrawl.example/gatecrawl/store"
	"gatecrawl.example/gatecrawl/store/letter"
	"gatecrawl.example/gatecrawl/store/mail"
)

// A message is a message of package mail.
type message = mail.Message

// A box sends and receives messages: it is a partition, or the gate.
type box interface {
	Mail(to uint32, most int) ([]message, error)
	Deliver(ctx context.Context, from uint32, ms []message) (through uint64, err error)
	Sent(to uint32, through uint64)
	Unsent() map[uint32]uint64
	Posted(to uint32) uint64
}

var (
	_ box = (*store.Store)(nil)
	_ box = (*gate)(nil)
)

// boxOf returns a partition, or the gate; nil if another process has it. index is its place in
// pairs and unsent.
func (c *Store) boxOf(place uint32) (b box, index int) {
	if place == store.GatePlace || place == c.places.N {
		if c.box != nil {
			b = c.box
		}
		return b, len(c.parts)
	}
	if p := c.here[place]; p != nil {
		b = p
	}
	return b, int(place)
}

func (c *Store) placeOf(index int) uint32 {
	if index == len(c.parts) {
		return store.GatePlace
	}
	return uint32(index)
}

// posted says that the store with this index may have messages to send.
func (c *Store) posted(index int) {
	select {
	case c.unsent[index] <- struct{}{}:
	default:
	}
}

// again is the time after which messages that did not arrive are offered again.
const again = 5 * time.Millisecond

func (c *Store) again() time.Duration {
	if c.peers == nil {
		return again
	}
	return peersAgain
}

// carryFrom carries the messages of a store until the job is closed.
func (c *Store) carryFrom(index uint32) {
	for {
		select {
		case <-c.stop:
			return
		case <-c.unsent[index]:
		}
		if c.peers != nil {
			select {
			case <-c.stop:
				return
			case <-time.After(peersGather):
			}
		}
		for left := true; left; {
			var err error
			if left, err = c.carryAll(context.Background(), c.placeOf(int(index))); err != nil {
				c.fail(err)
				return
			}
			if left {
				select {
				case <-c.stop:
					return
				case <-time.After(c.again()):
				}
			}
		}
	}
}

// carryAll carries, once, what a store has for others, and reports whether something is left.
func (c *Store) carryAll(ctx context.Context, from uint32) (left bool, err error) {
	b, _ := c.boxOf(from)
	if b == nil {
		return false, nil
	}
	receivers := slices.Sorted(maps.Keys(b.Unsent()))
	for _, to := range slices.Backward(receivers) { // the gate first: it has to know that a page is retired before others ask for its copies
		err := c.carry(ctx, from, to)
		c.peers.refused(from, to, err)
		if err != nil && !rpc.IsAway(err) {
			return false, err
		}
	}
	return len(b.Unsent()) > 0, nil
}

// carry hands the messages of one store to another. It returns when all messages that were there
// when it was called have been applied, or did not arrive.
func (c *Store) carry(ctx context.Context, from, to uint32) error {
	src, i := c.boxOf(from)
	dst, j := c.boxOf(to)
	last := src.Posted(to)
	c.pairs[i][j].Lock()
	defer c.pairs[i][j].Unlock()
	if dst == nil {
		return c.exchange(ctx, src, from, to, last)
	}
	for {
		ms, err := src.Mail(to, atOnce)
		if err != nil || len(ms) == 0 {
			return err
		}
		if from == store.GatePlace {
			if err := c.introduceAll(c.here[to], ms); err != nil {
				return err
			}
		}
		first, answered := ms[0].N, true
		if c.o.carry != nil {
			if ms, answered = c.o.carry(from, to, ms); len(ms) == 0 {
				return nil
			}
		}
		through, err := dst.Deliver(ctx, from, ms)
		if err != nil {
			return err
		}
		if to == store.GatePlace {
			c.posted(len(c.parts)) // the answers to them
		}
		if !answered || through < first {
			return nil
		}
		c.carried.Add(through - first + 1) // before the sender knows it: see find
		src.Sent(to, through)
		c.notify()
		if through >= last {
			return nil
		}
	}
}

// introduceAll introduces the pages that the gate's answers name to a partition.
func (c *Store) introduceAll(p *store.Store, ms []message) error {
	for _, m := range ms {
		l, err := letter.Decode(m.Body)
		if err != nil {
			return err
		}
		if err := c.introducePage(p, uint64(l.Verdict.Of)); err != nil {
			return err
		}
		if l.Kind == letter.Copy {
			c.copiesMu.Lock()
			if len(c.copies) < mostTexts {
				c.copies[l.Page] = true
			}
			c.copiesMu.Unlock()
		}
	}
	return nil
}

// introducePage tells a partition about a kept page that another partition has.
func (c *Store) introducePage(p *store.Store, of uint64) error {
	known, err := p.Knows(of)
	if err != nil || known {
		return err
	}
	l, err := c.owner(of).Likeness(of)
	if err != nil {
		return fmt.Errorf("page %d of another partition: %w", of, err)
	}
	p.Introduce(l)
	return nil
}

// owner returns the partition that has a page.
func (c *Store) owner(seq uint64) part { return c.parts[store.PlaceOf(c.places, seq)] }

// settled carries the messages that wait, and those that follow from them: a vote goes to the
// partition of the kept page, and that one informs the partitions of the URLs that the page links
// to. Messages about what a crawl settles in the meantime may still be on their way.
func (c *Store) settled(ctx context.Context) error {
	const hops = 4
	if c.o.Store.ReadOnly {
		return nil
	}
	for n := 0; n < hops && !c.silent(); n++ {
		for i := range c.unsent {
			if _, err := c.carryAll(ctx, c.placeOf(i)); err != nil {
				return err
			}
		}
	}
	return ctx.Err()
}

// quiesce carries messages until there are none. Nothing may be settled in the meantime.
func (c *Store) quiesce(ctx context.Context) error {
	for {
		left := false
		for i := range c.unsent {
			more, err := c.carryAll(ctx, c.placeOf(i))
			if err != nil {
				return err
			}
			left = left || more
		}
		if !left && c.silent() {
			return nil
		}
		if err := ctx.Err(); err != nil {
			return err
		}
	}
}

// silent reports whether no store has a message for another.
func (c *Store) silent() bool {
	for i := range c.unsent {
		if b, _ := c.boxOf(c.placeOf(i)); b != nil && len(b.Unsent()) > 0 {
			return false
		}
	}
	return true
}

// fail ends the job.
func (c *Store) fail(err error) {
	c.failed.CompareAndSwap(nil, &err)
	c.notify()
}

// fault returns why the job has ended.
func (c *Store) fault() error {
	if err := c.failed.Load(); err != nil {
		return *err
	}
	return nil
}
