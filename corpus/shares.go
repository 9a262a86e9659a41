package corpus

import (
	"bufio"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"strings"

	"gatecrawl.example/gatecrawl/dedup"
	"gatecrawl.example/gatecrawl/dedup/methods"
	"gatecrawl.example/gatecrawl/dedup/methods/search"
	"gatecrawl.example/gatecrawl/page"
)

// A collection that is too large for one machine is signed in shares, each by Batch.Sketch, and
// the sketches are compared together by Batch.Merge, as the survey of 2006 says of Broder's
// shingles: computed in many places, then merged.
//
// A share's file starts with shareMagic and a line of JSON, a shareHead. Of each document
// follow, lengths as varints: URL plus 1, URL, site, and the number of words of 64 bits of its
// sketch, little-endian. 0 and the number of documents end it.
const shareMagic = "gatecrawl sketches 1\n"

// What a share's file may have, so that a broken one takes no memory.
const (
	maxShareText   = 1 << 20 // bytes of a URL
	maxShareSketch = 1 << 26 // words
)

// A shareHead says what sketches compare with.
type shareHead struct {
	Method string `json:"method"`          // with all of its options
	Words  string `json:"words,omitempty"` // version of the table that weighs words; "": none does
}

// Sketch writes the sketches of a collection's documents by the method of the options. Pages of
// a site belong in one share, since they are compared by what their site does not repeat. A
// method that learns from all documents needs Options.Words for it; the error says so.
func (b *Batch) Sketch(from *Source, to io.Writer) (came Counts, err error) {
	m := b.o.scalable()
	if m == nil {
		return came, errors.New("only the sketches of a published method can be written")
	}
	c := methods.NewCollection(m, b.o.Words)
	switch n := c.Passes(); {
	case n > 1:
		return came, fmt.Errorf("%s learns from the links of all pages, and cannot sign them in shares", m.Name())
	case n > 0:
		return came, fmt.Errorf("%s weighs words by the pages themselves: give all shares one table of words with --idf (crawl idf build)", m.Name())
	}
	pending, err := newPendingFile()
	if err != nil {
		return came, err
	}
	defer func() { err = errors.Join(err, pending.close()) }()
	err = b.learnAll(from, pending, func(readPage) {})
	if err != nil {
		return b.counts, err
	}
	w, err := newShareWriter(to, shareHead{methods.Spec(m), b.o.Words.Version()})
	if err != nil {
		return b.counts, err
	}
	err = b.signed(pending, m.Scheme(c), methods.NeedsLinks(m), func(p readPage, s sketchedPage) error {
		switch {
		case p.redirect():
			b.counts.Redirects++
		case p.notDocument() != "":
			b.counts.Errors++
		default:
			b.counts.New++
			return w.add(s)
		}
		return nil
	})
	if err == nil {
		err = w.end()
	}
	return b.counts, err
}

// Merge compares the documents of shares' files, in their order, as Run does those of one
// collection by the method of the options, which is that of the files (ShareMethod).
func (b *Batch) Merge(names []string) (came Counts, err error) {
	m := b.o.scalable()
	if m == nil {
		return came, errors.New("shares are compared by the method that they were signed by")
	}
	if b.spool, err = newSpool(&b.sites); err != nil {
		return came, err
	}
	defer func() { err = errors.Join(err, b.spool.close()) }()
	scheme := m.Scheme(methods.NewCollection(m, b.o.Words))
	finder, err := b.finder(scheme, m)
	if err != nil {
		return came, err
	}
	defer func() { err = errors.Join(err, finder.Close()) }()
	var first shareHead
	for i, name := range names {
		err := readShare(name, func(h shareHead) error {
			switch {
			case h.Method != methods.Spec(m):
				return fmt.Errorf("it was signed by %s, not by %s", h.Method, methods.Spec(m))
			case i > 0 && h != first:
				return fmt.Errorf("its words were weighed by another table than those of %s", names[0])
			}
			first = h
			return nil
		}, func(s sketchedPage) error {
			if err := b.spool.add(s.url, s.site, "", dedup.Signature{}, nil, dedup.Verdict{}); err != nil {
				return err
			}
			return finder.Add(s.sketch)
		})
		if err != nil {
			return came, fmt.Errorf("%s: %w", name, err)
		}
	}
	if err := b.pair(finder); err != nil {
		return b.counts, err
	}
	if err := b.tell(b.merged()); err != nil {
		return b.counts, err
	}
	return b.counts, b.finish()
}

// merged yields the pages of shares.
func (b *Batch) merged() iter.Seq2[readPage, error] {
	return func(yield func(readPage, error) bool) {
		for doc := dedup.DocID(1); doc < b.spool.next(); doc++ {
			_, url, err := b.spool.page(doc)
			p := readPage{Page: Page{URL: url}, record: page.Record{URL: url}}
			if !yield(p, err) {
				return
			}
		}
	}
}

// finder returns one for all pairs, or for those of the part that is asked for.
func (b *Batch) finder(scheme methods.Scheme, m methods.Scalable) (*search.Finder, error) {
	f, err := search.New(scheme, m.Threshold())
	if err == nil && b.o.Parted > 1 {
		f.Only(b.o.Part, b.o.Parted)
	}
	return f, err
}

// ShareMethod returns the method, with its options, that the sketches of a share were made by.
func ShareMethod(name string) (spec string, err error) {
	enough := errors.New("no more is wanted")
	err = readShare(name, func(h shareHead) error { spec = h.Method; return enough }, nil)
	if errors.Is(err, enough) {
		return spec, nil
	}
	return "", fmt.Errorf("%s: %w", name, err)
}

// A shareWriter writes a share's file.
type shareWriter struct {
	w *bufio.Writer
	n uint64
	b []byte // scratch
}

func newShareWriter(to io.Writer, h shareHead) (*shareWriter, error) {
	w := &shareWriter{w: bufio.NewWriterSize(to, 1<<16)}
	head, err := json.Marshal(h)
	if err != nil {
		return nil, err
	}
	_, err = fmt.Fprintf(w.w, "%s%s\n", shareMagic, head)
	return w, err
}

func (w *shareWriter) add(s sketchedPage) error {
	w.n++
	b := binary.AppendUvarint(w.b[:0], uint64(len(s.url))+1)
	b = append(b, s.url...)
	b = append(binary.AppendUvarint(b, uint64(len(s.site))), s.site...)
	b = binary.AppendUvarint(b, uint64(len(s.sketch)))
	for _, x := range s.sketch {
		b = binary.LittleEndian.AppendUint64(b, x)
	}
	w.b = b
	_, err := w.w.Write(b)
	return err
}

func (w *shareWriter) end() error {
	if _, err := w.w.Write(binary.AppendUvarint([]byte{0}, w.n)); err != nil {
		return err
	}
	return w.w.Flush()
}

var errShare = errors.New("it has no sketches of crawl dedup --sketches, or is cut short")

// readShare reads a share's file.
func readShare(name string, start func(shareHead) error, visit func(sketchedPage) error) error {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	in, err := Decompress(f)
	if err != nil {
		return err
	}
	defer in.Close()
	r := &shareReader{Reader: bufio.NewReaderSize(in, 1<<16)}
	magic := make([]byte, len(shareMagic))
	if _, err := io.ReadFull(r, magic); err != nil || string(magic) != shareMagic {
		return errShare
	}
	line, err := r.ReadSlice('\n')
	var h shareHead
	if err != nil || json.Unmarshal(line, &h) != nil {
		return errShare
	}
	if err := start(h); err != nil {
		return err
	}
	for n := uint64(0); ; n++ {
		size := r.number(maxShareText)
		if size == 0 {
			if count := r.number(1 << 40); r.err != nil || count != n {
				return errShare
			}
			return nil
		}
		s := sketchedPage{url: r.text(size - 1)}
		s.site = r.text(r.number(maxShareText))
		if words := r.number(maxShareSketch); words > 0 && r.err == nil {
			s.sketch = r.words(words)
		}
		if r.err != nil {
			return errShare
		}
		if err := visit(s); err != nil {
			return err
		}
	}
}

// A shareReader remembers its first error.
type shareReader struct {
	*bufio.Reader
	err error
}

// number reads a number from 0 to most; 0 after an error.
func (r *shareReader) number(most uint64) uint64 {
	if r.err != nil {
		return 0
	}
	n, err := binary.ReadUvarint(r)
	if err == nil && n > most {
		err = errShare
	}
	if r.err = err; err != nil {
		return 0
	}
	return n
}

func (r *shareReader) text(n uint64) string {
	var b strings.Builder
	if r.err == nil {
		_, r.err = io.CopyN(&b, r, int64(n))
	}
	return b.String()
}

// words reads n words, in pieces: a broken file may say that there are more than it has.
func (r *shareReader) words(n uint64) []uint64 {
	var list []uint64
	var b [8]byte
	for range n {
		if _, r.err = io.ReadFull(r, b[:]); r.err != nil {
			return nil
		}
		list = append(list, binary.LittleEndian.Uint64(b[:]))
	}
	return list
}
