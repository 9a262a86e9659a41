package earlier

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"gatecrawl.example/gatecrawl"
	"gatecrawl.example/gatecrawl/corpus"
	"gatecrawl.example/gatecrawl/dedup"
	"gatecrawl.example/gatecrawl/page"
	"gatecrawl.example/gatecrawl/purify"
	"gatecrawl.example/gatecrawl/store/kv"
	"gatecrawl.example/gatecrawl/warc"
)

// Jobs reads sources that are jobs.
type Jobs interface {
	// IsJob reports whether a folder has a job.
	IsJob(dir string) bool

	// Rows calls fn with the rows of a job, with their DocViews.
	Rows(ctx context.Context, dir string, fn func(*gatecrawl.Row) error) error
}

// The kinds of sources.
const (
	kindJob   = "job"
	kindPages = "pages"
	kindIndex = "index"
)

// atOnce is how many documents one commit adds.
const atOnce = 1000

// Add reads a source, unless it was read before and has not changed since, or is not there any more.
// It returns what is known about the source, and whether it was read now. fault is called with each
// line and record that cannot be used. Pages of which none can be used, such as a table in Parquet, are an
// error: a crawl that knows nothing of them would keep all of these documents again.
func (d *Documents) Add(ctx context.Context, name string, jobs Jobs, fault func(error)) (s Source, read bool, err error) {
	n := slices.IndexFunc(d.sources, func(s Source) bool { return s.Name == name })
	done := n >= 0 && !d.sources[n].Read.IsZero()
	if _, err := os.Lstat(name); done && errors.Is(err, fs.ErrNotExist) {
		return d.sources[n], false, nil
	}
	kind, files, err := kindOf(name, jobs)
	if err != nil {
		return s, false, err
	}
	state, err := stateOf(name)
	if err != nil {
		return s, false, err
	}
	if done && d.sources[n].State == state {
		return d.sources[n], false, nil
	}
	if n < 0 {
		d.mu.Lock()
		d.sources, n = append(d.sources, Source{Name: name}), len(d.sources)
		d.mu.Unlock()
	}
	a := &adding{Documents: d, ctx: ctx, number: n, source: d.sources[n], fault: fault}
	a.source.Kind, a.source.State, a.source.Read, a.source.Skipped = kind, state, time.Time{}, 0
	switch kind {
	case kindJob:
		err = jobs.Rows(ctx, name, a.row)
	case kindIndex:
		err = a.indexes(files)
	default:
		err = a.pages(files)
	}
	if s := &a.source; err == nil && kind == kindPages && s.Skipped > 0 && s.Documents == 0 && s.Repeats == 0 {
		return *s, true, fmt.Errorf("no document in it can be used: %w", a.first)
	}
	if err == nil {
		a.source.Read = time.Now().UTC()
		err = a.flush()
	}
	if err != nil {
		return a.source, true, fmt.Errorf("%s: %w", name, err)
	}
	return a.source, true, nil
}

// kindOf returns the kind of a source, and its files.
func kindOf(name string, jobs Jobs) (kind string, files []string, err error) {
	info, err := os.Stat(name)
	switch {
	case err != nil:
		return "", nil, err
	case info.IsDir() && jobs.IsJob(name):
		return kindJob, nil, nil
	case !info.IsDir():
		kind, err := kindOfFile(name)
		return kind, []string{name}, err
	}
	var archives, indexes []string
	err = filepath.WalkDir(name, func(file string, e fs.DirEntry, err error) error {
		base := strings.ToLower(filepath.Base(file))
		switch {
		case err != nil || e.IsDir():
		case warc.IsArchiveName(base), strings.HasSuffix(base, ".wacz"):
			archives = append(archives, file)
		case isIndexName(base):
			indexes = append(indexes, file)
		}
		return err
	})
	switch {
	case err != nil:
		return "", nil, err
	case len(archives) > 0:
		return kindPages, archives, nil // the indexes among its files add nothing
	case len(indexes) > 0:
		return kindIndex, indexes, nil
	}
	return kindPages, []string{name}, nil // a file of HTML or text
}

func isIndexName(base string) bool {
	base = strings.TrimSuffix(strings.TrimSuffix(base, ".gz"), ".zst")
	return strings.HasSuffix(base, ".cdx") || strings.HasSuffix(base, ".cdxj")
}

// indexLine matches the start of a line of an index: a key, a time, and a URL or an object.
var indexLine = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(\S+ [0-9]{4,17} | ?CDX [A-Za-z])`) })

func kindOfFile(name string) (string, error) {
	f, err := os.Open(name)
	if err != nil {
		return "", err
	}
	defer f.Close()
	head, _ := corpus.Head(f)
	text := corpus.Unpack(head, 4<<10)
	if isIndexName(strings.ToLower(name)) || indexLine().Match(bytes.TrimPrefix(text, []byte("\ufeff"))) {
		return kindIndex, nil
	}
	return kindPages, nil
}

// stateOf returns a text with the sizes and times of a source's files. It changes if the files
// change.
func stateOf(name string) (string, error) {
	if db := filepath.Join(name, "crawl.db"); exists(db) {
		name = db // the other files of a job change with this one
	}
	var newest time.Time
	var files, size int64
	err := filepath.WalkDir(name, func(_ string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		info, err := e.Info()
		if err != nil {
			return err
		}
		files, size = files+1, size+info.Size()
		if t := info.ModTime(); t.After(newest) {
			newest = t
		}
		return nil
	})
	return fmt.Sprintf("%d files, %d bytes, %s", files, size, newest.UTC().Format(time.RFC3339Nano)), err
}

func exists(name string) bool {
	_, err := os.Stat(name)
	return err == nil
}

// An adding is a source that is being read.
type adding struct {
	*Documents
	ctx    context.Context
	number int
	source Source
	fault  func(error)
	first  error // that was given to fault
	batch  []*document
	ids    []dedup.DocID
}

// skip reports something that cannot be used.
func (a *adding) skip(err error) {
	a.source.Skipped++
	if a.first == nil {
		a.first = err
	}
	a.fault(err)
}

// row adds the document of a row of a job.
func (a *adding) row(r *gatecrawl.Row) error {
	if !r.Page.Document() {
		return nil
	}
	digest, err := dedup.ParseDigest(r.Page.Digest)
	if err != nil {
		return err
	}
	var view *purify.DocView
	if len(r.View) > 0 {
		if view, err = page.UnpackView(r.View); err != nil {
			return err
		}
	}
	var text dedup.Text
	var sig dedup.Signature
	if view != nil {
		text = dedup.TextOf(view)
		sig = a.o.Words.SignPage(digest, view, &text)
	}
	doc := &document{url: r.Page.URL, fetched: r.Page.Fetched, keys: keysOfDigest(digest), marked: true}
	return a.document(doc, dedup.Digest{}, sig, &text, view)
}

// pages adds the documents of WARC files, JSON lines and folders.
func (a *adding) pages(files []string) error {
	o := corpus.Options{Dedup: a.o.Dedup, Reader: a.o.Reader, Words: a.o.Words}
	o.Dedup.Mode = dedup.ModeOff // that gate would be in memory; the index is asked instead
	b, err := corpus.NewBatch(o)
	if err != nil {
		return err
	}
	b.Fault = a.skip
	b.Judged = func(corpus.Result) error { return a.ctx.Err() }
	b.Signed = func(r corpus.Result, sig dedup.Signature, text *dedup.Text, view *purify.DocView) error {
		doc := &document{url: r.URL, fetched: r.Fetched, keys: keysOfDigest(sig.Bytes), marked: !r.TextLine()}
		return a.document(doc, r.BodyDigest, sig, text, view)
	}
	_, err = b.Run(&corpus.Source{Names: files, Refers: a.digest, Textless: a.textless, Ended: a.ctx.Err})
	return err
}

// textless adds a document of an export of which only the digest is known.
func (a *adding) textless(url string, digest dedup.Digest) error {
	return a.document(&document{url: url, keys: keysOfDigest(digest)}, dedup.Digest{}, dedup.Signature{}, nil, nil)
}

// indexes adds the documents that indexes list.
func (a *adding) indexes(files []string) error {
	for _, name := range files {
		r, _, err := corpus.Open(name, nil)
		if err != nil {
			return err
		}
		for c, err := range warc.Captures(r, name) {
			var line *warc.LineError
			switch {
			case errors.As(err, &line):
				a.skip(err)
				continue
			case err == nil && (c.Status < 0 || c.Status >= 200 && c.Status < 300) && !warc.IsRobots(c.URL):
				err = a.digest(c.URL, c.Time, c.Digest)
			}
			if err = errors.Join(err, a.ctx.Err()); err != nil {
				return errors.Join(err, r.Close())
			}
		}
		if err := r.Close(); err != nil {
			return err
		}
	}
	return nil
}

// digest adds a document of which only the digest is known.
func (a *adding) digest(url string, at time.Time, digest string) error {
	key := payloadKey(digest)
	if key == nil {
		if digest != "" && !strings.Contains(digest, emptyBase32) {
			a.source.Skipped++ // it has another algorithm
		}
		return nil
	}
	return a.document(&document{url: url, fetched: at, keys: [][]byte{key}}, dedup.Digest{}, dedup.Signature{}, nil, nil)
}

// emptyBase32 is the SHA-1 of no bytes, as indexes write it.
const emptyBase32 = "3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ"

func keysOfDigest(d dedup.Digest) [][]byte {
	if d.IsZero() {
		return nil
	}
	return [][]byte{gateKey(d)}
}

// document adds a document whose bytes are not known yet. If its text is a copy of that of another
// document, its signature and view are not stored. body is the digest of its body; zero: it is that of its view's.
func (a *adding) document(doc *document, body dedup.Digest, sig dedup.Signature, text *dedup.Text, view *purify.DocView) error {
	known, err := a.knows(doc.keys)
	if err != nil || known || len(doc.keys) == 0 {
		if known {
			a.source.Repeats++
		}
		return err
	}
	doc.source = uint64(a.number)
	a.last++
	a.mu.Lock()
	a.pending[a.last] = doc
	for _, k := range doc.keys {
		a.waiting[string(k)] = a.last
	}
	a.mu.Unlock()
	a.batch, a.ids = append(a.batch, doc), append(a.ids, a.last)
	if view != nil {
		if body.IsZero() {
			body = dedup.DigestOfWords(view.Body)
		}
		doc.paths, doc.layout = pathKeys(doc.url, view.Body, body), view.Layout
	}
	if view != nil && sig.Tokens > 0 {
		sig.Bytes = dedup.Digest{} // its digests are in another table
		doc.sign, doc.view = &sig, page.PackView(view)
		v, err := a.gate.Claim(a.last, sig, text)
		if err != nil {
			return err
		}
		if v.Copy() {
			doc.sign, doc.view = nil, nil
		}
	}
	a.source.Documents++
	if len(a.batch) >= atOnce {
		return a.flush()
	}
	return nil
}

// knows reports whether the bytes of a document are known.
func (a *adding) knows(keys [][]byte) (known bool, err error) {
	for _, k := range keys {
		if _, ok := a.waiting[string(k)]; ok {
			return true, nil
		}
	}
	err = a.kv.View(a.ctx, func(r kv.Reader) error {
		for _, k := range keys {
			b, err := r.Get(tableDigests, k)
			if err != nil {
				return err
			}
			known = known || b != nil
		}
		return nil
	}, tableDigests)
	return known, err
}

// flush commits the documents that were added, and the source.
func (a *adding) flush() error {
	err := a.kv.Update(a.ctx, func(tx kv.Tx) error {
		for i, doc := range a.batch {
			k := docKey(a.ids[i])
			tx.Put(tableDocuments, k, doc.encode())
			for _, d := range doc.keys {
				tx.Put(tableDigests, d, k)
			}
			for _, p := range doc.paths {
				tx.Put(tableDigests, p, k)
			}
			if doc.sign != nil {
				tx.Put(tableSignatures, k, page.EncodeSignature(doc.sign))
				tx.Put(tableViews, k, doc.view)
			}
		}
		tx.Put(tableSources, binary.BigEndian.AppendUint32(nil, uint32(a.number)), a.source.encode())
		return nil
	})
	if err != nil {
		return err
	}
	a.batch, a.ids = a.batch[:0], a.ids[:0]
	a.mu.Lock()
	a.sources[a.number] = a.source
	clear(a.pending)
	clear(a.waiting)
	a.mu.Unlock()
	return a.gate.Commit()
}
