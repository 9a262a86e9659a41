package cluster

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"gatecrawl.example/gatecrawl"
	"gatecrawl.example/gatecrawl/cluster/internal/rpc"
	"gatecrawl.example/gatecrawl/dedup"
	"gatecrawl.example/gatecrawl/frontier"
	"gatecrawl.example/gatecrawl/frontier/weburl"
	"gatecrawl.example/gatecrawl/page"
	"gatecrawl.example/gatecrawl/store"
	"gatecrawl.example/gatecrawl/store/kv"
	"gatecrawl.example/gatecrawl/store/kv/disk"
	"gatecrawl.example/gatecrawl/store/kv/row"
	"gatecrawl.example/gatecrawl/store/letter"
	"gatecrawl.example/gatecrawl/store/mail"
	"gatecrawl.example/gatecrawl/store/query"
)

// The tables of a gate. It numbers the claimed documents in the order of the claims. Of those that
// it keeps it stores the page's number and the signature.
var (
	tableGate       = &kv.Table{Name: "gate"}                                      // the gate's own state: see the keys below
	tableDocs       = &kv.Table{Name: "docs", Checked: true, Fill: .95}            // by the gate's number: the page's number
	tableRefs       = &kv.Table{Name: "refs"}                                      // by the page's number: the gate's number
	tableSignatures = &kv.Table{Name: "gate-signatures", Checked: true, Fill: .95} // by the gate's number: see page.EncodeSignature
	tableRevised    = &kv.Table{Name: "gate-revised"}                              // by the gate's number: signed again since it was claimed
	tableRetired    = &kv.Table{Name: "gate-retired"}                              // by the gate's number: gets no more copies
	tableAliases    = &kv.Table{Name: "gate-aliases"}                              // by the digest of a copy's bytes: its verdict

	keyGate   = []byte("gate")
	lastDoc   = kv.Counter{Table: tableGate, Key: []byte("docs")}
	present   = []byte{1}
	allTables = append([]*kv.Table{tableGate, tableDocs, tableRefs, tableSignatures, tableRevised, tableRetired, tableAliases}, mail.Tables()...)
)

const (
	fileGate  = "gate.db"
	dirIndex  = "index"
	gateForm  = 1
	atOnce    = 512     // messages that are carried together
	mostTexts = 1 << 14 // pages that turned out to be copies, until someone asks
)

// A gateRecord has what never changes about a gate.
type gateRecord struct {
	Version    int       `json:"version"`
	Created    time.Time `json:"created"`
	Partitions uint32    `json:"partitions"`
	Signature  int       `json:"signature"`
}

// A gate finds the copies among the pages of a job in partitions. It is a store of its own: the
// messages of the partitions bring it pages, and it answers by messages. Of several equal pages it
// keeps the one whose message comes first.
type gate struct {
	dir    string
	places frontier.Places
	kv     kv.Store
	o      dedup.Options
	gate   *dedup.Gate
	box    *mail.Box
	record gateRecord

	// text reads the text of a page.
	text func(of dedup.Ref) (dedup.Text, bool, error)

	// away counts the texts that could not be read because the process that has them did not
	// answer. Nil: all texts are in this process.
	away func() uint64

	mu      sync.Mutex
	pending map[dedup.DocID]dedup.Ref // of the commit under way: no snapshot has them yet
	texts   texts                     // of visits that may be claimed soon
	fault   error                     // of the index
	tx      kv.Tx                     // the commit under way
}

// openGate opens the gate of a job, or creates it.
func openGate(dir string, o store.Options, places frontier.Places, journal disk.Journal) (g *gate, err error) {
	g = &gate{
		dir: dir, places: places, o: o.Dedup, pending: make(map[dedup.DocID]dedup.Ref),
	}
	record, err := json.Marshal(gateRecord{Version: gateForm, Created: time.Now().UTC(), Partitions: places.N, Signature: dedup.SignatureVersion})
	if err != nil {
		return nil, err
	}
	g.kv, err = disk.Open(filepath.Join(dir, fileGate), allTables, disk.Options{
		Memory: disk.DefaultMemory, ReadOnly: o.ReadOnly, Journal: journal, Busy: g.expecting,
		Init: func(tx kv.Tx) error { tx.Put(tableGate, keyGate, record); return nil },
	})
	if err != nil {
		return nil, fmt.Errorf("gate %s: %w", dir, err)
	}
	if err := g.load(o.ReadOnly); err != nil {
		return nil, errors.Join(fmt.Errorf("gate %s: %w", dir, err), g.kv.Close())
	}
	return g, nil
}

// load opens the index, and adds the documents that it lacks.
func (g *gate) load(readOnly bool) error {
	last := uint64(0)
	err := g.view(func(r kv.Reader) error {
		b, err := r.Get(tableGate, keyGate)
		if err == nil {
			err = json.Unmarshal(b, &g.record)
		}
		if err != nil {
			return err
		}
		if g.record.Version != gateForm || g.record.Signature != dedup.SignatureVersion {
			return &store.VersionError{Dir: g.dir, Part: "signature", Got: g.record.Signature, Want: dedup.SignatureVersion}
		}
		if g.box, err = mail.Load(r); err != nil {
			return err
		}
		last, err = lastDoc.Get(r)
		return err
	})
	if err != nil {
		return err
	}
	complete := dedup.DocID(0)
	g.gate, complete, err = dedup.OpenGate(dedup.Folder{
		Dir: filepath.Join(g.dir, dirIndex), Job: g.record.Created.Format(time.RFC3339Nano),
		Last: dedup.DocID(last), ReadOnly: readOnly,
	}, g.o, g)
	if err != nil {
		return err
	}
	if err := g.fill(complete); err != nil {
		return errors.Join(err, g.gate.Close())
	}
	return nil
}

// fill adds to the index the signatures of all documents after complete, and which documents were
// retired or signed again.
func (g *gate) fill(complete dedup.DocID) error {
	err := g.view(func(r kv.Reader) error {
		n := 0
		for e, err := range r.Scan(tableSignatures, docKey(complete+1), nil) {
			if err != nil {
				return err
			}
			sig, err := page.DecodeSignature(e.Value)
			if err != nil {
				return fmt.Errorf("document %d: %w", docOf(e.Key), err)
			}
			g.gate.Load(docOf(e.Key), sig)
			if n++; n%4096 == 0 {
				if err := g.gate.Commit(); err != nil {
					return err
				}
			}
		}
		err := kv.Each(r, tableRetired, func(k, _ []byte) error { g.gate.Retire(docOf(k)); return nil })
		if err != nil {
			return err
		}
		return kv.Each(r, tableRevised, func(k, _ []byte) error {
			sig, err := signatureIn(r, docOf(k))
			if err == nil {
				g.gate.LoadRevised(docOf(k), sig)
			}
			return err
		})
	})
	if err != nil {
		return err
	}
	return g.gate.Commit()
}

func (g *gate) view(fn func(kv.Reader) error) error { return g.kv.View(context.Background(), fn) }

func docKey(doc dedup.DocID) []byte { return binary.BigEndian.AppendUint32(nil, uint32(doc)) }
func docOf(key []byte) dedup.DocID  { return dedup.DocID(binary.BigEndian.Uint32(key)) }

// Close commits what is under way and closes the gate.
func (g *gate) Close() error { return errors.Join(g.kv.Close(), g.gate.Close()) }

// write runs a step that becomes durable as a whole.
func (g *gate) write(step func(tx kv.Tx) error) error {
	err := g.kv.Update(context.Background(), func(tx kv.Tx) error {
		if g.tx != tx {
			g.tx = tx
			tx.BeforeCommit(func() error { g.box.Clean(tx); return nil })
			tx.OnCommit(g.committed)
		}
		if err := g.broken(); err != nil {
			return err
		}
		return step(tx)
	})
	if err == nil {
		err = g.broken()
	}
	return err
}

func (g *gate) broken() error {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.fault
}

func (g *gate) committed() {
	g.tx = nil
	err := g.gate.Commit()
	g.mu.Lock()
	defer g.mu.Unlock()
	clear(g.pending)
	if err != nil {
		g.fault = fmt.Errorf("gate: %w", err)
	}
}

// Deliver applies messages of a partition that were not applied yet, in one transaction.
func (g *gate) Deliver(_ context.Context, from uint32, ms []mail.Message) (through uint64, err error) {
	if g.away != nil {
		if err := g.readAhead(from, ms); err != nil {
			return 0, err
		}
	}
	err = g.write(func(tx kv.Tx) error {
		through, err = g.box.Receive(tx, from, ms, func(m mail.Message) error {
			l, err := letter.Decode(m.Body)
			if err != nil {
				return err
			}
			return g.apply(tx, l)
		})
		return err
	})
	if err != nil {
		return 0, fmt.Errorf("messages of partition %d to the gate: %w", from, err)
	}
	return through, nil
}

// readAhead reads, outside of the transaction, the texts that claimed and revised pages will be
// compared with. If a process that has one of them does not answer, the messages wait for it.
// Messages that were already applied are left out, since a message may arrive twice. A page that is
// claimed between readAhead and the transaction is compared by signature if its text cannot be
// read.
func (g *gate) readAhead(from uint32, ms []mail.Message) error {
	before := g.away()
	var applied uint64
	err := g.view(func(r kv.Reader) (err error) {
		applied, err = mail.Received(r, from)
		return err
	})
	if err != nil {
		return err
	}
	for _, m := range ms {
		if m.N <= applied {
			continue
		}
		l, err := letter.Decode(m.Body)
		if err != nil {
			return err
		}
		if l.Kind != letter.Claim && l.Kind != letter.Revised {
			continue
		}
		look := func(text *dedup.Text) (err error) {
			if l.Kind == letter.Revised {
				_, err = g.gate.Nearest(l.Sign, text, 2)
			} else {
				_, err = g.gate.Check(l.Sign, text)
			}
			return err
		}
		text, err := g.textOf(l)
		if err == nil {
			text, err = g.ask(l, text, look)
		}
		if err != nil {
			return err
		}
		g.expect(l.Sign, text)
	}
	if g.away() != before {
		return rpc.Away("a partition whose text is needed", errors.New("it is asked again"))
	}
	return nil
}

func (g *gate) apply(tx kv.Tx, l *letter.Letter) error {
	switch l.Kind {
	case letter.Claim:
		return g.claim(tx, l)
	case letter.Revised:
		return g.revise(tx, l)
	case letter.Retired:
		doc, err := docIn(tx, dedup.Ref(l.Page))
		if err != nil || doc == 0 {
			return err
		}
		tx.Put(tableRetired, docKey(doc), present)
		g.gate.Retire(doc)
		return nil
	case letter.Alias:
		known, err := kv.Has(tx, tableAliases, l.Digest[:])
		if err != nil || known {
			return err
		}
		var e row.Encoder
		letter.EncodeVerdict(&e, l.Verdict)
		tx.Put(tableAliases, l.Digest[:], e.B)
		return nil
	}
	return fmt.Errorf("a message of kind %d, which a gate does not know", l.Kind)
}

// claim makes a page a kept page, or tells its partition which page it is a copy of.
func (g *gate) claim(tx kv.Tx, l *letter.Letter) error {
	of, sig := dedup.Ref(l.Page), l.Sign
	n, err := lastDoc.Next(tx)
	if err != nil {
		return err
	}
	if n > math.MaxUint32 {
		return fmt.Errorf("page %d: a gate holds at most %d documents", of, uint32(math.MaxUint32))
	}
	doc := dedup.DocID(n)
	text, err := g.textOf(l)
	if err != nil {
		return err
	}
	g.mu.Lock()
	g.pending[doc] = of
	g.mu.Unlock()
	var v dedup.Verdict
	text, err = g.ask(l, text, func(text *dedup.Text) (err error) {
		v, err = g.gate.Claim(doc, sig, text)
		return err
	})
	if err != nil {
		return fmt.Errorf("claim of page %d: %w", of, err)
	}
	if !v.Copy() {
		tx.Put(tableDocs, docKey(doc), page.Key(uint64(of)))
		tx.Put(tableRefs, page.Key(uint64(of)), docKey(doc))
		tx.Put(tableSignatures, docKey(doc), page.EncodeSignature(&sig))
		return nil
	}
	kept, err := g.refIn(tx, dedup.DocID(v.Of))
	if err != nil {
		return err
	}
	return g.post(tx, letter.Copy, of, v.As(kept, text))
}

// post tells a partition what became of one of its pages.
func (g *gate) post(tx kv.Tx, kind byte, of dedup.Ref, v dedup.Verdict) error {
	return g.box.Post(tx, store.PlaceOf(g.places, uint64(of)), (&letter.Letter{Kind: kind, Page: uint64(of), Verdict: v}).Encode())
}

// revise gives a kept page another signature. If that makes it a copy of another kept page, or the
// other way round, the younger of the two becomes a copy of the older.
func (g *gate) revise(tx kv.Tx, l *letter.Letter) error {
	of, sig := dedup.Ref(l.Page), l.Sign
	doc, err := docIn(tx, of)
	if err != nil || doc == 0 {
		return err // it became a copy in the meantime
	}
	if err := g.gate.Revise(doc, sig); err != nil {
		return fmt.Errorf("page %d: %w", of, err)
	}
	tx.Put(tableRevised, docKey(doc), present)
	tx.Put(tableSignatures, docKey(doc), page.EncodeSignature(&sig))
	text, err := g.textOf(l)
	if err != nil {
		return err
	}
	var found []dedup.Verdict
	_, err = g.ask(l, text, func(text *dedup.Text) (err error) {
		found, err = g.gate.Nearest(sig, text, 2) // one of them may be the page itself
		return err
	})
	if err != nil {
		return err
	}
	for _, v := range found {
		older, younger := dedup.DocID(v.Of), doc
		if older == younger {
			continue
		}
		if older > younger {
			older, younger = younger, older
		}
		kept, err := g.refIn(tx, older)
		if err != nil {
			return err
		}
		copied, err := g.refIn(tx, younger)
		if err != nil {
			return err
		}
		return g.post(tx, letter.Join, copied, v.As(kept, nil))
	}
	return nil
}

// textOf returns the text of a claimed or revised page, or its stub; nil if none is kept.
func (g *gate) textOf(l *letter.Letter) (*dedup.Text, error) {
	if text := g.takeText(l.Sign); text != nil {
		return text, nil
	}
	if l.Stub != nil {
		return l.Stub.Text(), nil
	}
	return g.readText(dedup.Ref(l.Page))
}

// ask puts a question about a page with its text to the gate. If text is a stub and the gate needs
// the text, because a page near it was claimed since it was looked up, ask reads the text and puts
// the question again. It returns the text with which the question was answered.
func (g *gate) ask(l *letter.Letter, text *dedup.Text, question func(*dedup.Text) error) (*dedup.Text, error) {
	err := question(text)
	if errors.Is(err, dedup.ErrTextNeeded) {
		if text, err = g.readText(dedup.Ref(l.Page)); err == nil {
			err = question(text)
		}
	}
	return text, err
}

// readText reads the text of a page; nil if none is kept.
func (g *gate) readText(of dedup.Ref) (*dedup.Text, error) {
	t, ok, err := g.text(of)
	if err != nil || !ok {
		return nil, err
	}
	return &t, nil
}

// expect keeps the text of a visit that is likely to ask again or to claim, or its stub, so that it
// need not be sent or read again. The caller must not use it until it is taken.
func (g *gate) expect(sig dedup.Signature, text *dedup.Text) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if text != nil {
		g.texts.put(sig, text)
	}
}

// expecting reports whether there are visits under way that may claim. If so, a commit waits a
// little for their claims.
func (g *gate) expecting() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return len(g.texts.new)+len(g.texts.old) > 0
}

// takeText returns the text that was passed to expect; nil if it is gone.
func (g *gate) takeText(sig dedup.Signature) *dedup.Text {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.texts.take(sig)
}

// texts are the texts of visits under way. It has two halves: when the new one is full it becomes
// the old one, and the old one is dropped, with the texts that nobody took.
type texts struct {
	new, old map[dedup.Signature]*dedup.Text
	size     int // of new
}

// halfTexts bounds the bytes of the texts in each half.
const halfTexts = 8 << 20

func (t *texts) put(sig dedup.Signature, text *dedup.Text) {
	if t.size > halfTexts || t.new == nil {
		t.old, t.new, t.size = t.new, make(map[dedup.Signature]*dedup.Text), 0
	}
	t.new[sig] = text
	t.size += len(text.Body) + 256
}

func (t *texts) take(sig dedup.Signature) *dedup.Text {
	text := t.new[sig]
	if text != nil {
		delete(t.new, sig)
		t.size -= len(text.Body) + 256
	} else {
		text = t.old[sig]
	}
	delete(t.old, sig)
	return text
}

// docIn returns the gate's number of a page; 0 if the gate has not kept it.
func docIn(r kv.Reader, of dedup.Ref) (dedup.DocID, error) {
	b, err := r.Get(tableRefs, page.Key(uint64(of)))
	if err != nil || b == nil {
		return 0, err
	}
	return docOf(b), nil
}

// refIn returns the page of a document within the transaction that changes the tables.
func (g *gate) refIn(tx kv.Tx, doc dedup.DocID) (dedup.Ref, error) {
	if of, ok := g.isPending(doc); ok {
		return of, nil
	}
	return storedRef(tx, doc)
}

func (g *gate) isPending(doc dedup.DocID) (of dedup.Ref, ok bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	of, ok = g.pending[doc]
	return of, ok
}

func storedRef(r kv.Reader, doc dedup.DocID) (dedup.Ref, error) {
	b, err := r.Get(tableDocs, docKey(doc))
	if err == nil && b == nil {
		err = fmt.Errorf("document %d: the gate does not know its page", doc)
	}
	if err != nil {
		return 0, err
	}
	return dedup.Ref(page.Seq(b)), nil
}

// refOf is refIn outside of a transaction. A document that is not pending is committed, but a
// snapshot that was taken before pending was read may lack it. So refOf reads pending first.
func (g *gate) refOf(doc dedup.DocID) (of dedup.Ref, err error) {
	if of, ok := g.isPending(doc); ok {
		return of, nil
	}
	err = g.view(func(r kv.Reader) error {
		of, err = storedRef(r, doc)
		return err
	})
	return of, err
}

// Signature implements dedup.Signatures.
func (g *gate) Signature(doc dedup.DocID) (sig dedup.Signature, err error) {
	err = g.view(func(r kv.Reader) error {
		sig, err = signatureIn(r, doc)
		return err
	})
	return sig, err
}

func signatureIn(r kv.Reader, doc dedup.DocID) (sig dedup.Signature, err error) {
	b, err := r.Get(tableSignatures, docKey(doc))
	if err == nil && b == nil {
		err = fmt.Errorf("document %d: no signature is kept", doc)
	}
	if err != nil {
		return sig, err
	}
	return page.DecodeSignature(b)
}

// Text implements dedup.Texts.
func (g *gate) Text(doc dedup.DocID) (dedup.Text, bool, error) {
	of, err := g.refOf(doc)
	if err != nil {
		return dedup.Text{}, false, err
	}
	return g.text(of)
}

// named replaces the gate's number in a verdict by that of the page.
func (g *gate) named(v dedup.Verdict, text *dedup.Text) (dedup.Verdict, error) {
	if !v.Copy() {
		return v, nil
	}
	of, err := g.refOf(dedup.DocID(v.Of))
	return v.As(of, text), err
}

// CheckBytes implements gatecrawl.Store.
func (g *gate) CheckBytes(d dedup.Digest) (dedup.Verdict, error) {
	v, err := g.gate.CheckBytes(d)
	if err != nil || d.IsZero() || g.o.Mode == dedup.ModeOff {
		return v, err
	}
	if v.Copy() {
		return g.named(v, nil)
	}
	err = g.view(func(r kv.Reader) error {
		b, err := r.Get(tableAliases, d[:])
		if err != nil || b == nil {
			return err
		}
		dec := row.Decoder{B: b}
		if v = letter.DecodeVerdict(&dec); dec.Err != nil {
			return dec.Err
		}
		doc, err := docIn(r, v.Of)
		if err == nil && (doc == 0 || g.gate.IsRetired(doc)) {
			v = dedup.Verdict{}
		}
		return err
	})
	return v, err
}

// Check implements gatecrawl.Store.
func (g *gate) Check(sig dedup.Signature, text *dedup.Text) (dedup.Verdict, error) {
	v, err := g.gate.Check(sig, text)
	if err != nil {
		return v, err
	}
	return g.named(v, text)
}

// forgetTexts makes the gate read the texts of these hosts again.
func (g *gate) forgetTexts(hosts []weburl.HostKey) {
	g.gate.ForgetTexts(func(host string) bool { return slices.Contains(hosts, weburl.HostKeyOf(host)) })
}

// look is Check for a visit that is about to be settled.
func (g *gate) look(sig dedup.Signature, text *dedup.Text) (dedup.Verdict, error) {
	v, err := g.Check(sig, text)
	if err == nil && !v.Copy() {
		g.expect(sig, text)
	}
	return v, err
}

// answer is look for a visit of another process. That process sends a text only if it is compared
// with another one, and sends it only once.
func (g *gate) answer(q *gateQuestion) (gateAnswer, error) {
	text := q.text
	if q.stub {
		if sent := g.takeText(q.sig); sent != nil {
			text = sent
		}
	}
	v, err := g.look(q.sig, text)
	if errors.Is(err, dedup.ErrTextNeeded) {
		return gateAnswer{needed: true}, nil
	}
	return gateAnswer{verdict: v}, err
}

// speaksFor reports whether a page may have more copies.
func (g *gate) speaksFor(of dedup.Ref) (ok bool, err error) {
	err = g.view(func(r kv.Reader) error {
		doc, err := docIn(r, of)
		ok = doc != 0 && !g.gate.IsRetired(doc)
		return err
	})
	return ok, err
}

// neighbours is query.Ask with the numbers of pages.
func (g *gate) neighbours(sig dedup.Signature, text *dedup.Text, want gatecrawl.NearQuery) ([]dedup.Neighbour, error) {
	found, err := query.Ask(g.gate, sig, text, want)
	for i := range found {
		if err == nil {
			found[i].Verdict, err = g.named(found[i].Verdict, nil)
		}
	}
	return found, err
}

// Mail, Sent, Unsent and Posted do what the methods of store.Store do.
func (g *gate) Mail(to uint32, most int) (ms []mail.Message, err error) {
	err = g.view(func(r kv.Reader) error {
		ms, err = g.box.Waiting(r, to, most)
		return err
	})
	return ms, err
}

func (g *gate) Sent(to uint32, through uint64) { g.box.Sent(to, through) }
func (g *gate) Unsent() map[uint32]uint64      { return g.box.Unsent() }
func (g *gate) Posted(to uint32) uint64        { return g.box.Posted(to) }

// verify checks that the index has exactly the signatures that are kept.
func (g *gate) verify(ctx context.Context, fn func(gatecrawl.Breach) error) (breaches int64, err error) {
	const intact, equal = "the index is as it was written", "the index holds what is kept"
	if g.o.Mode == dedup.ModeOff {
		return 0, nil
	}
	var found []gatecrawl.Breach
	check := func(r kv.Reader) error {
		for _, err := range g.gate.CheckFiles() {
			found = append(found, gatecrawl.Breach{Invariant: intact, Detail: err.Error()})
		}
		return kv.Each(r, tableSignatures, func(k, b []byte) error {
			sig, err := page.DecodeSignature(b)
			if err == nil {
				err = g.gate.Holds(docOf(k), sig)
			}
			if err != nil {
				found = append(found, gatecrawl.Breach{Invariant: equal, Detail: fmt.Sprintf("document %d: %v", docOf(k), err)})
			}
			return ctx.Err()
		})
	}
	if err := g.write(func(tx kv.Tx) error { return check(tx) }); errors.Is(err, kv.ErrReadOnly) {
		err = g.view(check)
		if err != nil {
			return 0, err
		}
	} else if err != nil {
		return 0, err
	}
	for _, b := range found {
		if err := fn(b); err != nil {
			return int64(len(found)), err
		}
	}
	return int64(len(found)), nil
}

// pages returns the kept pages that the gate knows, with their signatures.
func (g *gate) pages() (map[uint64]dedup.Signature, error) {
	known := make(map[uint64]dedup.Signature)
	err := g.view(func(r kv.Reader) error {
		return kv.Each(r, tableDocs, func(k, v []byte) error {
			sig, err := signatureIn(r, docOf(k))
			known[page.Seq(v)] = sig
			return err
		})
	})
	return known, err
}
