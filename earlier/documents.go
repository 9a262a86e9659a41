package earlier

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"gatecrawl.example/gatecrawl/dedup"
	"gatecrawl.example/gatecrawl/page"
	"gatecrawl.example/gatecrawl/purify"
	"gatecrawl.example/gatecrawl/store/kv"
	"gatecrawl.example/gatecrawl/store/kv/disk"
	"gatecrawl.example/gatecrawl/store/kv/row"
)

// form is the version of the tables below. An index with another one is created again.
const form = 2

// The tables of an index.
var (
	tableMeta       = &kv.Table{Name: "meta"}                                            // how the documents were signed
	tableSources    = &kv.Table{Name: "sources", Checked: true}                          // by number: a Source
	tableDocuments  = &kv.Table{Name: "documents", Checked: true, Fill: growing}         // by DocID: a document
	tableSignatures = &kv.Table{Name: "signatures", Checked: true, Fill: growing}        // by DocID: page.EncodeSignature
	tableViews      = &kv.Table{Name: "views", Checked: true, Fill: growing}             // by DocID: page.PackView
	tableDigests    = &kv.Table{Name: "digests", ID: 1, Filter: 1 + len(dedup.Digest{})} // by kind and digest: a DocID

	tables = []*kv.Table{tableMeta, tableSources, tableDocuments, tableSignatures, tableViews, tableDigests}

	keySigned = []byte("signed")
)

// tailLayout is the tag of a document's layout hash, 8 bytes.
const tailLayout = 1

// growing is the Fill of tables whose keys only grow.
const growing = 0.95

// The files of an index.
const (
	fileDB   = "known.db"
	dirIndex = "index"
)

// Options are the settings of an index.
type Options struct {
	// Dedup are the options of the gate that is asked. Its Mode is ignored.
	Dedup dedup.Options

	// Words are the weights of words in signatures; nil: all words weigh the same. Documents are
	// signed with them when they are added.
	Words *dedup.IDF

	// Reader reads the pages of sources. Default: a reader without selectors.
	Reader purify.Reader

	// Selectors is the version of the selectors of Reader, "" for none.
	Selectors string

	// Memory is the number of documents whose tables are held in memory, some 300 bytes
	// each. Default 65,536.
	Memory int
}

// Documents are the documents of earlier crawls. CheckBytes and Check may be called from many
// goroutines, but not while Add or Close runs.
type Documents struct {
	o    Options
	kv   kv.Store
	gate *dedup.Gate

	mu      sync.RWMutex
	sources []Source
	last    dedup.DocID
	pending map[dedup.DocID]*document // added and not durable yet
	waiting map[string]dedup.DocID    // the digests of these
}

// A Source is a file or folder from which documents were added.
type Source struct {
	Name      string    // of the file or folder
	Kind      string    // "job", "pages" (WARC files, JSON lines, folders) or "index" (CDX, CDXJ)
	State     string    // of the files when they were read, see stateOf: if it is another now, they have changed
	Read      time.Time // when it was read; zero: not to its end
	Documents int64     // that were added from it
	Skipped   int64     // lines, records and digests that could not be used
	Repeats   int64     // documents with bytes that were already known; 0 for a source that was read in an earlier run
}

// A document is a document of an earlier crawl.
type document struct {
	source  uint64 // number of its source
	url     string
	fetched time.Time
	keys    [][]byte         // of its bytes
	paths   [][]byte         // of its URL or path and of its body; none: no body is known
	layout  uint64           // purify's layout hash, if marked
	marked  bool             // its layout is known: not that of a text which an export took out of its page
	sign    *dedup.Signature // nil: only its bytes are known
	view    []byte           // packed; nil: none
}

// Open opens the index in a folder, and creates it if there is none. Signatures that were made with
// other Options cannot be compared: then the index is emptied, and its sources have to be read
// again.
func Open(dir string, o Options) (d *Documents, err error) {
	if o.Memory == 0 {
		o.Memory = 1 << 16
	}
	o.Dedup.Mode, o.Dedup.Memory = dedup.ModeMark, o.Memory
	if err := o.Dedup.Validate(); err != nil {
		return nil, fmt.Errorf("known documents: %w", err)
	}
	if d, err = open(dir, o); err != nil {
		return nil, advise(dir, err)
	}
	same, err := d.signedAlike()
	if err == nil && !same {
		err = d.Close()
		if err == nil {
			err = Remove(dir)
		}
		if err == nil {
			d, err = open(dir, o)
		}
		if err == nil {
			_, err = d.signedAlike()
		}
	}
	if err == nil {
		err = d.openGate(dir)
	}
	if err != nil {
		return nil, errors.Join(advise(dir, err), d.Close())
	}
	return d, nil
}

// advise adds to the error of an index that cannot be opened what to do about it.
func advise(dir string, err error) error {
	return fmt.Errorf("known documents: %w: where %s is damaged, delete it: its sources are read again", err, dir)
}

// Remove removes the index in a folder. After that its sources are read again.
func Remove(dir string) error { return os.RemoveAll(dir) }

// open opens the tables.
func open(dir string, o Options) (*Documents, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	s, err := disk.Open(filepath.Join(dir, fileDB), tables, disk.Options{})
	if err != nil {
		return nil, err
	}
	return &Documents{o: o, kv: s, pending: make(map[dedup.DocID]*document), waiting: make(map[string]dedup.DocID)}, nil
}

// signedAlike reports whether the documents were signed with these options. If there are no
// documents yet it stores the options.
func (d *Documents) signedAlike() (same bool, err error) {
	now := fmt.Sprintf("form %d, purify %d, signature %d, words %q, selectors %q",
		form, purify.Version, dedup.SignatureVersion, d.o.Words.Version(), d.o.Selectors)
	err = d.kv.View(context.Background(), func(r kv.Reader) error {
		b, err := r.Get(tableMeta, keySigned)
		same = b == nil || string(b) == now
		return err
	})
	if err != nil || !same {
		return false, err
	}
	return true, d.kv.Update(context.Background(), func(tx kv.Tx) error {
		tx.Put(tableMeta, keySigned, []byte(now))
		return nil
	})
}

// openGate opens the gate's tables, and adds the documents that they lack.
func (d *Documents) openGate(dir string) error {
	err := d.kv.View(context.Background(), func(r kv.Reader) error {
		e, ok, err := kv.First(r.Falling(tableDocuments, nil, nil))
		if ok {
			d.last = docOf(e.Key)
		}
		if err != nil {
			return err
		}
		return kv.Each(r, tableSources, func(_, v []byte) error {
			s, err := decodeSource(v)
			d.sources = append(d.sources, s)
			return err
		})
	})
	if err != nil {
		return err
	}
	gate, complete, err := dedup.OpenGate(dedup.Folder{Dir: filepath.Join(dir, dirIndex), Job: "known", Last: d.last}, d.o.Dedup, d)
	if err != nil {
		return err
	}
	d.gate = gate
	return d.kv.View(context.Background(), func(r kv.Reader) error {
		n := 0
		for e, err := range r.Scan(tableSignatures, docKey(complete+1), nil) {
			if err != nil {
				return err
			}
			sig, err := page.DecodeSignature(e.Value)
			if err != nil {
				return err
			}
			gate.Load(docOf(e.Key), sig)
			if n++; n%4096 == 0 {
				if err := gate.Commit(); err != nil {
					return err
				}
			}
		}
		return gate.Commit()
	})
}

// Close closes the index.
func (d *Documents) Close() error {
	if d == nil {
		return nil
	}
	var err error
	if d.gate != nil {
		err = d.gate.Close()
	}
	return errors.Join(err, d.kv.Close())
}

// Verify calls breach for everything that is damaged, until breach returns an error.
func (d *Documents) Verify(ctx context.Context, breach func(error) error) error {
	for _, err := range d.gate.CheckFiles() {
		if err := breach(err); err != nil {
			return err
		}
	}
	return d.kv.Check(ctx, breach)
}

// Sources returns the sources, in the order in which they were first added.
func (d *Documents) Sources() []Source {
	d.mu.RLock()
	defer d.mu.RUnlock()
	return append([]Source(nil), d.sources...)
}

// CheckBytes looks up a payload by its bytes; digest is the gate's digest of it. ok is false if it
// is not known.
func (d *Documents) CheckBytes(body []byte, digest dedup.Digest) (m page.Earlier, ok bool, err error) {
	if len(body) == 0 {
		return m, false, nil
	}
	doc, err := d.documentAt(keysOf(body, digest)...)
	if err != nil || doc == 0 {
		return m, false, err
	}
	return d.match(dedup.Verdict{Of: dedup.Ref(doc), Level: dedup.LevelBytes, Class: dedup.FullLayout, Similarity: 1}, 0)
}

// documentAt returns the document that one of some keys of tableDigests leads to; 0: there is none.
func (d *Documents) documentAt(keys ...[]byte) (doc dedup.DocID, err error) {
	err = d.kv.View(context.Background(), func(r kv.Reader) error {
		for _, k := range keys {
			b, err := r.Get(tableDigests, k)
			if err != nil {
				return err
			}
			if b != nil {
				doc = docOf(b)
				return nil
			}
		}
		return nil
	}, tableDigests)
	return doc, err
}

// Check looks up a document without its bytes: one that was at the same URL with the same body or, if that has 50 words, at the
// same path of any host, and then one by signature and text. The first finds pages again of which only the text is known,
// without the links that the gate compares, however short they are. A near copy is confirmed by the text if there is one, see
// dedup.Gate.Check. The class is that of a copy in a crawl of both, and none if the layout of the document is not known: that of
// a text which a line of JSON gives. ok is false if no known document matches.
func (d *Documents) Check(address, body string, sig dedup.Signature, text *dedup.Text) (m page.Earlier, ok bool, err error) {
	doc, err := d.documentAt(pathKeys(address, body, dedup.DigestOfWords(body))...)
	if err != nil {
		return m, false, err
	}
	if doc != 0 {
		return d.match(dedup.Verdict{Of: dedup.Ref(doc), Level: dedup.LevelBody, Class: dedup.FullContent, Similarity: 1}, sig.Layout)
	}
	sig.Bytes = dedup.Digest{}
	v, err := d.gate.Check(sig, text)
	if err != nil || !v.Copy() {
		return m, false, err
	}
	return d.match(v, sig.Layout)
}

// match returns what is known of the document of a verdict about a page with a layout.
func (d *Documents) match(v dedup.Verdict, layout uint64) (m page.Earlier, ok bool, err error) {
	m = page.Earlier{Reason: v.Reason(), Level: v.Level, Class: v.Class, Distance: v.Distance, Similarity: v.Similarity}
	err = d.kv.View(context.Background(), func(r kv.Reader) error {
		b, err := r.Get(tableDocuments, docKey(dedup.DocID(v.Of)))
		if err != nil || b == nil {
			return errors.Join(err, fmt.Errorf("known document %d is not there", v.Of))
		}
		doc, err := decodeDocument(b)
		if err != nil {
			return err
		}
		m.URL, m.Fetched = doc.url, doc.fetched
		switch {
		case v.Level == dedup.LevelBytes: // equal bytes have one layout
		case doc.marked:
			m.Class = v.Class.WithLayouts(layout, doc.layout)
		default:
			m.Class = dedup.ClassNone
		}
		d.mu.RLock()
		defer d.mu.RUnlock()
		if doc.source < uint64(len(d.sources)) {
			m.Archive = d.sources[doc.source].Name
		}
		return nil
	})
	return m, err == nil, err
}

// Signature implements dedup.Signatures.
func (d *Documents) Signature(doc dedup.DocID) (sig dedup.Signature, err error) {
	if p := d.unwritten(doc); p != nil {
		return *p.sign, nil
	}
	err = d.kv.View(context.Background(), func(r kv.Reader) error {
		b, err := r.Get(tableSignatures, docKey(doc))
		if err != nil || b == nil {
			return errors.Join(err, fmt.Errorf("known document %d: no signature is kept", doc))
		}
		sig, err = page.DecodeSignature(b)
		return err
	})
	return sig, err
}

// Text implements dedup.Texts.
func (d *Documents) Text(doc dedup.DocID) (text dedup.Text, ok bool, err error) {
	var view []byte
	if p := d.unwritten(doc); p != nil {
		view = p.view
	} else {
		err = d.kv.View(context.Background(), func(r kv.Reader) error {
			b, err := r.Get(tableViews, docKey(doc))
			view = append([]byte(nil), b...)
			return err
		})
	}
	if err != nil || len(view) == 0 {
		return text, false, err
	}
	text, err = page.UnpackText(view)
	return text, err == nil, err
}

func (d *Documents) unwritten(doc dedup.DocID) *document {
	d.mu.RLock()
	defer d.mu.RUnlock()
	return d.pending[doc]
}

var (
	_ dedup.Signatures = (*Documents)(nil)
	_ dedup.Texts      = (*Documents)(nil)
)

func docKey(doc dedup.DocID) []byte { return binary.BigEndian.AppendUint32(nil, uint32(doc)) }

func docOf(key []byte) dedup.DocID { return dedup.DocID(binary.BigEndian.Uint32(key)) }

func (doc *document) encode() []byte {
	var e row.Encoder
	e.Uint(doc.source)
	e.Text(doc.url)
	e.Time(doc.fetched)
	if doc.marked {
		e.Tail(tailLayout, string(binary.BigEndian.AppendUint64(nil, doc.layout)))
	}
	return e.B
}

func decodeDocument(b []byte) (document, error) {
	r := row.Decoder{B: b}
	doc := document{source: r.Uint(), url: r.Text(), fetched: r.Time()}
	r.Tails(func(tag byte, v string) {
		if tag == tailLayout && len(v) == 8 {
			doc.layout, doc.marked = binary.BigEndian.Uint64([]byte(v)), true
		}
	})
	return doc, r.Err
}

func (s *Source) encode() []byte {
	var e row.Encoder
	e.Text(s.Name)
	e.Text(s.Kind)
	e.Text(s.State)
	e.Time(s.Read)
	e.Int(s.Documents)
	e.Int(s.Skipped)
	return e.B
}

func decodeSource(b []byte) (Source, error) {
	r := row.Decoder{B: b}
	s := Source{Name: r.Text(), Kind: r.Text(), State: r.Text(), Read: r.Time(), Documents: r.Int(), Skipped: r.Int()}
	return s, r.Err
}
