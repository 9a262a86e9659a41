package template

import (
	"cmp"
	"context"
	"encoding/binary"
	"fmt"
	"slices"

	"gatecrawl.example/gatecrawl/frontier"
	"gatecrawl.example/gatecrawl/frontier/weburl"
	"gatecrawl.example/gatecrawl/page"
	"gatecrawl.example/gatecrawl/purify"
	"gatecrawl.example/gatecrawl/store/kv"
)

// purifyAgain adds a page to those that are to be purified again.
func (l *Learner) purifyAgain(tx kv.Tx, k pageKey) {
	b := l.change(tx)
	b.again = append(b.again, k)
	tx.Put(TableAgain, k[:], present)
}

// Next leases a page that is to be purified again. ok is false if there is none, or if atOnce pages
// are leased for which Leave was not called: while a crawl finds pages that is one, since a page
// that is read later is read with a newer template. A leased page that is not revised is leased
// again when the job is next opened. It may be called from any goroutine.
func (l *Learner) Next(atOnce int) (lease frontier.Lease, ok bool, err error) {
	for {
		k, some := l.pop(atOnce)
		if !some {
			return lease, false, nil
		}
		err = l.store.View(context.Background(), func(r kv.Reader) error {
			if ok, err = kv.Has(r, TableAgain, k[:]); err != nil || !ok {
				return err
			}
			address, err := page.URLOf(r, k.seq())
			if err != nil {
				return err
			}
			lease = frontier.Lease{Task: frontier.Reread, Token: k.seq()}
			lease.URL, err = weburl.Parse(address)
			return err
		})
		if err != nil {
			return lease, false, fmt.Errorf("page %d, to be purified again: %w", k.seq(), err)
		}
		if ok {
			return lease, true, nil
		}
		l.Leave()
	}
}

// Leave says that a page that Next has leased was read, or will not be.
func (l *Learner) Leave() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.reading = max(0, l.reading-1) // a page may be settled twice
}

func (l *Learner) pop(atOnce int) (pageKey, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.again) == 0 || l.reading >= atOnce {
		return pageKey{}, false
	}
	l.reading++
	k := l.again[0]
	if l.again = l.again[1:]; len(l.again) == 0 {
		l.again = nil
	}
	return k, true
}

// Known reads what is needed to purify a page again that Next has leased.
func (l *Learner) Known(r kv.Reader, lease frontier.Lease) (k page.Known, err error) {
	seq := lease.Token
	if settled, err := kv.Has(r, page.TableRecords, page.Key(seq)); err != nil || !settled {
		return k, cmp.Or(err, page.ErrNoBytes) // the gate knows a page before it is settled
	}
	if k.Page, err = page.Full(r, seq); err != nil {
		return k, err
	}
	places, made, err := l.each(lease.URL.String(), func(p place) (*purify.Template, error) { return readTemplate(r, p) })
	if err != nil {
		return k, err
	}
	k.Template = l.join(places, made)
	if k.Body, err = l.o.Body(r, seq); err != nil {
		return k, err
	}
	if k.Body == nil && k.Page.Verdict == page.VerdictCopy {
		return k, nil // it became a copy since it was leased
	}
	if k.Body == nil {
		return k, page.ErrNoBytes
	}
	sig, err := page.Signature(r, seq)
	if err != nil {
		return k, err
	}
	k.Digest = sig.Bytes
	return k, nil
}

// Revise removes a page that was purified again from the list, and reports whether it was on it: a
// second call changes nothing. A page whose host got another template meanwhile is leased once
// more.
func (l *Learner) Revise(tx kv.Tx, v *page.Visit) (wanted bool, err error) {
	k := keyOf(v.Lease.URL.Key().Host(), v.Page.Seq)
	if wanted, err := kv.Has(tx, TableAgain, k[:]); err != nil || !wanted {
		return false, err
	}
	places, made, err := l.eachIn(tx, v.Lease.URL.String())
	if err != nil {
		return false, err
	}
	if v.Template < l.join(places, made).Generation() {
		l.purifyAgain(tx, k)
		return false, nil
	}
	tx.Delete(TableAgain, k[:])
	for i, p := range places {
		if v.Own != nil && made[i].Generation() < lastThin {
			putThin(tx, p, v.Page.Seq, v.Own, made[i])
		}
	}
	return true, nil
}

// Drop forgets a kept page that has become a copy.
func (l *Learner) Drop(tx kv.Tx, url string, seq uint64) error {
	places, _ := placesOf(url)
	for _, p := range places {
		k := keyOf(p.host, seq)
		tx.Delete(TableAgain, k[:])
		tx.Delete(p.level().thin, p.keyOf(seq))
		site, err := l.site(tx, p)
		if err != nil {
			return fmt.Errorf("template of page %d: %w", seq, err)
		}
		if i := slices.Index(site.early, seq); i >= 0 {
			site.early = slices.Delete(site.early, i, i+1)
			l.keep(tx, p, site)
		}
	}
	return nil
}

// maxStale is how many hosts Stale returns at most.
const maxStale = 1 << 18

// Stale returns hosts whose kept pages were compared with an older template than the host has now, until
// Compared is called; none: there is no such host.
func (l *Learner) Stale(r kv.Reader) (map[weburl.HostKey]bool, error) {
	found := make(map[weburl.HostKey]bool)
	for e, err := range kv.Prefix(r, TableStale, nil) {
		if err != nil {
			return nil, err
		}
		found[weburl.HostKey(e.Key)] = true
		if len(found) == maxStale {
			break
		}
	}
	return found, nil
}

// Compared says that the kept pages of hosts have been compared with their current templates.
func (l *Learner) Compared(tx kv.Tx, hosts map[weburl.HostKey]bool) {
	for h := range hosts {
		tx.Delete(TableStale, h[:])
	}
}

// lastThin is the generation of a host's template from which thin pages are no longer recorded. It
// is made when about 11,000 pages are known: from the fourteenth template on only one page in eight
// counts. If the frame of a part of the site is found later, its text is compared. Up to then, the
// second version of a manual, whose pages come when most of the first one's are kept, still teaches
// what its layout repeats.
const lastThin = 24

// maxThin is how many blocks of a thin page are recorded at most: if there are more, half of them are blocks that the template left out,
// or all of these. The page is read again when the template of its host
// takes one in leastThin of them, or of the bytes of their text, or gives as many back: blocks that many of
// the first pages had, and few of those that came later. By a last template it is read again for any block.
const (
	maxThin   = 128
	leastThin = 8
)

// putThin stores the blocks that a thin page is compared by, and those that the place's template left out: 3
// bytes of size and flags and 5 of name for each.
func putThin(tx kv.Tx, at place, seq uint64, own []purify.OwnBlock, made *purify.Template) {
	own = slices.DeleteFunc(slices.Clone(own), func(o purify.OwnBlock) bool {
		return o.Shared && !made.Has(o.Block()) // the template of another place has it, or it is of a menu that the page repeats
	})
	if len(own) > maxThin { // those that were left out come last
		shared := max(0, slices.IndexFunc(own, func(o purify.OwnBlock) bool { return o.Shared }))
		own = own[max(0, min(shared-maxThin/2, len(own)-maxThin)):]
	}
	b := make([]byte, 0, 8*min(len(own), maxThin))
	for _, o := range own[:min(len(own), maxThin)] {
		v := uint64(min(o.Bytes, maxThinBytes))
		for _, f := range [...]struct {
			is   bool
			flag uint64
		}{{o.Shared, thinShared}, {o.Prose, thinProse}, {o.Linked, thinLinked}} {
			if f.is {
				v |= f.flag
			}
		}
		b = binary.BigEndian.AppendUint64(b, v<<purify.PrintBits|uint64(o.Print))
	}
	tx.Put(at.level().thin, at.keyOf(seq), b)
}

// The flags of a block stand above its size. In a job of an earlier version all are 0.
const (
	thinShared   = 1 << 23
	thinProse    = 1 << 22
	thinLinked   = 1 << 21
	maxThinBytes = 1<<21 - 1
)

// thinBlock decodes a block that putThin stored. In a job of an earlier version sizes are 0.
func thinBlock(b []byte) purify.OwnBlock {
	v := binary.BigEndian.Uint64(b)
	size := v >> purify.PrintBits
	return purify.OwnBlock{
		Print: purify.Print(v & (1<<purify.PrintBits - 1)), Bytes: int(size & maxThinBytes),
		Shared: size&thinShared != 0, Prose: size&thinProse != 0, Linked: size&thinLinked != 0,
	}
}

// thinAgain lists the thin pages of which the place's new template takes or gives back enough: what is left
// of such a page may be half of what was signed.
func (l *Learner) thinAgain(tx kv.Tx, at place, made *purify.Template, final bool) error {
	table := at.level().thin
	for e, err := range kv.Prefix(tx, table, at.key()) {
		if err != nil {
			return err
		}
		changed := changes(made, e.Value, final)
		if changed || made.Generation() >= lastThin {
			tx.Delete(table, e.Key) // when it is read again it is recorded again
		}
		if changed {
			l.purifyAgain(tx, keyOf(at.host, binary.BigEndian.Uint64(e.Key[len(at.key()):])))
		}
	}
	return nil
}

// changes reports whether a thin page with these blocks is to be read again with a new template, which may be
// the final one.
func changes(made *purify.Template, thin []byte, final bool) bool {
	var moved, all, movedBytes, allBytes int // blocks, and the bytes of their texts
	for ; len(thin) >= 8; thin = thin[8:] {
		b := thinBlock(thin)
		if !b.Shared {
			all++
			allBytes += b.Bytes
		}
		if made.Has(b.Block()) != b.Shared {
			moved++
			movedBytes += b.Bytes
		}
	}
	return moved > 0 && (final || moved*leastThin >= all || movedBytes > 0 && movedBytes*leastThin >= allBytes)
}
