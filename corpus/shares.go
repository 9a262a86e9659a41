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

	"github.com/cespare/xxhash/v2"

	"gatecrawl.example/gatecrawl/dedup"
	"gatecrawl.example/gatecrawl/dedup/methods"
	"gatecrawl.example/gatecrawl/dedup/methods/search"
	"gatecrawl.example/gatecrawl/page"
)

// A collection that is too large for one machine is divided into shares. Batch.Sketch computes the
// sketches of each share, and Batch.Merge compares them all, as Broder's shingles were computed in
// many places and merged.
//
// A file of a share starts with shareMagic and a line of JSON, a shareHead. Then it has for each
// document, with lengths as varints: URL plus 1, URL, site, and the number of words of 64 bits of
// its sketch, and these, little-endian. It ends with 0, the number of documents, and the xxhash64 of all
// bytes before, little-endian: a share is written on one machine and read on another, and a sketch with an
// altered bit would give other copies without an error.
const (
	shareMagic  = "gatecrawl sketches 2\n"
	shareFamily = "gatecrawl sketches " // and a version of one digit
)

// The bounds of a file of a share, so that a broken one does not take all memory.
const (
	maxShareText   = 1 << 20 // bytes of a URL
	maxShareSketch = 1 << 26 // words
)

// A shareHead says how sketches were made. Only equal ones can be compared.
type shareHead struct {
	Method string `json:"method"`          // with all of its options
	Words  string `json:"words,omitempty"` // version of the table of word weights; "": there is none
}

// Sketch writes the sketches of a collection's documents, by the method of the options. All pages
// of a site have to be in one share, since they are compared without what their site repeats. A
// method that learns from all documents needs Options.Words; without it Sketch returns an error
// that says so.
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

// Merge compares the documents of several shares, in the order of the files, as Run compares those
// of one collection. The method of the options must be that of the files, see ShareMethod.
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

// finder returns a Finder for all pairs, or for those of the part that the options ask for.
func (b *Batch) finder(scheme methods.Scheme, m methods.Scalable) (*search.Finder, error) {
	f, err := search.New(scheme, m.Threshold())
	if err == nil && b.o.Parted > 1 {
		f.Only(b.o.Part, b.o.Parted)
	}
	return f, err
}

// ShareMethod returns the method, with its options, that has made the sketches of a share.
func ShareMethod(name string) (spec string, err error) {
	enough := errors.New("no more is wanted")
	err = readShare(name, func(h shareHead) error { spec = h.Method; return enough }, nil)
	if errors.Is(err, enough) {
		const resemblance = .8 // any: only the name and the options matter
		if _, err = methods.Parse(spec, resemblance); err == nil {
			return spec, nil
		}
		err = fmt.Errorf("it names a method that this version of crawl does not have, or is damaged: %w", err)
	}
	return "", fmt.Errorf("%s: %w", name, err)
}

// A shareWriter writes a share's file.
type shareWriter struct {
	w   *bufio.Writer
	sum *xxhash.Digest // of what was written
	n   uint64
	b   []byte // scratch
}

func newShareWriter(to io.Writer, h shareHead) (*shareWriter, error) {
	w := &shareWriter{w: bufio.NewWriterSize(to, 1<<16), sum: xxhash.New()}
	head, err := json.Marshal(h)
	if err != nil {
		return nil, err
	}
	return w, w.write(fmt.Appendf(nil, "%s%s\n", shareMagic, head))
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
	return w.write(b)
}

func (w *shareWriter) end() error {
	if err := w.write(binary.AppendUvarint([]byte{0}, w.n)); err != nil {
		return err
	}
	if err := w.write(binary.LittleEndian.AppendUint64(nil, w.sum.Sum64())); err != nil {
		return err
	}
	return w.w.Flush()
}

func (w *shareWriter) write(b []byte) error {
	w.sum.Write(b)
	_, err := w.w.Write(b)
	return err
}

var (
	errShare      = errors.New("it has no sketches of crawl dedup --sketches, or is cut short or damaged")
	errShareForm  = errors.New("its sketches were written by another version of crawl: write them again with crawl dedup --sketches")
	errShareSum   = errors.New("its checksum is wrong: the file is damaged, write it again with crawl dedup --sketches")
	errAfterShare = errors.New("something follows its sketches: files of several shares are named one by one, and not joined into one")
)

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
	r := &shareReader{r: bufio.NewReaderSize(in, 1<<16), sum: xxhash.New()}
	magic := make([]byte, len(shareMagic))
	switch _, err := io.ReadFull(r, magic); {
	case err != nil, !strings.HasPrefix(string(magic), shareFamily):
		return errShare
	case string(magic) != shareMagic:
		return errShareForm
	}
	line, err := r.r.ReadSlice('\n')
	r.sum.Write(line)
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
			want := r.sum.Sum64()
			if sum := r.words(1); r.err != nil {
				return errShare
			} else if sum[0] != want {
				return errShareSum
			}
			switch _, err := r.ReadByte(); err { // the end of a compressed file has its checksum
			case io.EOF:
				return nil
			case nil:
				return errAfterShare
			}
			return errShare
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

// A shareReader remembers its first error, and sums what it reads.
type shareReader struct {
	r   *bufio.Reader
	sum *xxhash.Digest
	one [1]byte
	err error
}

func (r *shareReader) Read(b []byte) (int, error) {
	n, err := r.r.Read(b)
	r.sum.Write(b[:n])
	return n, err
}

// ReadByte is for the numbers of binary.ReadUvarint.
func (r *shareReader) ReadByte() (byte, error) {
	b, err := r.r.ReadByte()
	if err == nil {
		r.one[0] = b
		r.sum.Write(r.one[:])
	}
	return b, err
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

// words reads n words, in pieces, since a broken file may claim more than it has.
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
