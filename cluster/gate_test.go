package cluster

import (
	"context"
	"testing"

	"gatecrawl.example/gatecrawl/dedup"
	"gatecrawl.example/gatecrawl/frontier"
	"gatecrawl.example/gatecrawl/page"
	"gatecrawl.example/gatecrawl/store"
	"gatecrawl.example/gatecrawl/store/kv"
	"gatecrawl.example/gatecrawl/store/letter"
	"gatecrawl.example/gatecrawl/store/mail"
)

// TestAGateReadsTheTextsThatItCompares: of a page that was read again the gate asks for the text
// if there is another page near it, and of a claim that it gets a second time not again.
func TestAGateReadsTheTextsThatItCompares(t *testing.T) {
	o := store.DefaultOptions()
	g, err := openGate(t.TempDir(), o, frontier.Places{N: 1}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	texts := make(map[dedup.Ref]*dedup.Text)
	read := make(map[dedup.Ref]int)
	g.away = func() uint64 { return 0 }
	g.text = func(of dedup.Ref) (dedup.Text, bool, error) {
		read[of]++
		return *texts[of], true, nil
	}
	signed := func(of dedup.Ref, text *dedup.Text) dedup.Signature {
		sig := text.Sign()
		sig.Bytes = dedup.DigestOf([]byte{byte(of)})
		return sig
	}
	n := uint64(0)
	tell := func(kind byte, of dedup.Ref, text *dedup.Text) []mail.Message {
		t.Helper()
		l := &letter.Letter{Kind: kind, Page: uint64(of), Sign: signed(of, text)}
		if kind == letter.Revised {
			stub := text.Stub()
			l.Stub = &stub
		}
		texts[of] = text
		clear(read)
		n++
		ms := []mail.Message{{N: n, Body: l.Encode()}}
		if through, err := g.Deliver(t.Context(), 0, ms); err != nil || through != n {
			t.Fatalf("Deliver: through %d, %v; want %d", through, err, n)
		}
		return ms
	}
	page := func(family, edition int) *dedup.Text {
		return &dedup.Text{Title: text(family, 0)[:40], Body: text(family, edition)}
	}

	tell(letter.Claim, 1, page(1, 0))
	ms := tell(letter.Claim, 2, page(2, 0))
	clear(read)
	if _, err := g.Deliver(t.Context(), 0, ms); err != nil || len(read) != 0 {
		t.Errorf("the same claim again: %v; texts were asked for: %v", err, read)
	}
	tell(letter.Revised, 2, page(3, 0))
	if len(read) != 0 {
		t.Errorf("no page is near the one that was read again, and the gate has asked for texts: %v", read)
	}
	tell(letter.Revised, 2, page(1, 1))
	if read[2] != 1 {
		t.Errorf("the text of a page that is near another was asked for %d times, want once", read[2])
	}
	found, err := g.Mail(0, 10)
	if err != nil || len(found) != 1 {
		t.Fatalf("the gate's answers: %d, %v; want one", len(found), err)
	}
	if l, err := letter.Decode(found[0].Body); err != nil || l.Kind != letter.Join || l.Page != 2 || l.Verdict.Of != 1 {
		t.Errorf("the gate answers %+v, %v; want that page 2 is a copy of page 1", l, err)
	}
}

// A slowView is a store of which a commit ends between the start of a View and what it is asked for.
type slowView struct {
	kv.Store
	meanwhile func()
}

func (s slowView) View(ctx context.Context, fn func(r kv.Reader) error, tables ...*kv.Table) error {
	return s.Store.View(ctx, func(r kv.Reader) error {
		s.meanwhile()
		return fn(r)
	}, tables...)
}

// The snapshot in which a page is looked up may be older than the commit that has it: then the page was still
// pending when it was asked for.
func TestAPageIsFoundWhileItIsCommitted(t *testing.T) {
	g, err := openGate(t.TempDir(), store.DefaultOptions(), frontier.Places{N: 1}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	tables := g.kv
	g.kv = slowView{tables, func() {
		if err := tables.Update(t.Context(), func(tx kv.Tx) error {
			tx.Put(tableDocs, docKey(7), page.Key(19))
			return nil
		}); err != nil {
			t.Error(err)
		}
		g.mu.Lock()
		clear(g.pending)
		g.mu.Unlock()
	}}
	g.pending[7] = 19
	if of, err := g.refOf(7); err != nil || of != 19 {
		t.Errorf("a document whose commit ends meanwhile is page %d, %v; want 19", of, err)
	}
	g.kv = tables
}
