package corpus

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"gatecrawl.example/gatecrawl/dedup"
	"gatecrawl.example/gatecrawl/dedup/parts"
	"gatecrawl.example/gatecrawl/page"
	"gatecrawl.example/gatecrawl/scratch"
	"gatecrawl.example/gatecrawl/store/kv"
	"gatecrawl.example/gatecrawl/store/kv/disk"
)

// A PartsLine is a page that shares text with other pages, although it is not a copy of them.
type PartsLine struct {
	URL      string      `json:"url"`
	Seq      uint64      `json:"seq"`
	PartOf   []page.Part `json:"part_of,omitempty"`
	Contains []page.Part `json:"contains,omitempty"`
}

// atOnce is how many pages a partFinder adds in one commit.
const atOnce = 2000

// A partFinder finds the pages of a collection that share text with others. Samples of their texts
// are in a temporary file until all pages are judged, and then in tables of a temporary folder. Its
// file is mapped, so that it takes no memory while the gate needs it. It is used from one
// goroutine; a nil *partFinder does nothing.
type partFinder struct {
	spool *spool
	f     *os.File
	w     *bufio.Writer
	row   []byte   // that was written last
	dir   string   // "": not created yet
	kv    kv.Store // nil: not opened yet
}

func newPartFinder(s *spool) (*partFinder, error) {
	f, err := scratch.Create("", "crawl-dedup-*")
	if err != nil {
		return nil, err
	}
	return &partFinder{spool: s, f: f, w: bufio.NewWriterSize(f, 1<<16)}, nil
}

func (f *partFinder) close() error {
	if f == nil {
		return nil
	}
	err := scratch.Close(f.f)
	if f.kv != nil {
		err = errors.Join(err, f.kv.Close())
	}
	if f.dir != "" {
		err = errors.Join(err, os.RemoveAll(f.dir))
	}
	return err
}

// add adds a new page.
func (f *partFinder) add(doc dedup.DocID, text *dedup.Text) error {
	if f == nil {
		return nil
	}
	sample := text.Sample()
	if len(sample) == 0 {
		return nil
	}
	b := binary.LittleEndian.AppendUint32(f.row[:0], uint32(doc))
	b = binary.LittleEndian.AppendUint32(b, uint32(len(sample)))
	for _, v := range sample {
		b = binary.LittleEndian.AppendUint32(b, v)
	}
	f.row = b
	if _, err := f.w.Write(b); err != nil {
		return fmt.Errorf("temporary file: %w", err)
	}
	return nil
}

// load moves the samples from the file into tables.
func (f *partFinder) load() (err error) {
	if f.dir, err = os.MkdirTemp("", "crawl-dedup-*"); err != nil {
		return fmt.Errorf("temporary folder: %w", err)
	}
	tables, err := disk.Open(filepath.Join(f.dir, "parts.db"), parts.Tables(), disk.Options{})
	if err != nil {
		return fmt.Errorf("temporary folder: %w", err)
	}
	f.kv = tables
	err = f.w.Flush()
	if err == nil {
		_, err = f.f.Seek(0, io.SeekStart)
	}
	if err != nil {
		return fmt.Errorf("temporary file: %w", err)
	}
	r := bufio.NewReaderSize(f.f, 1<<16)
	var docs []dedup.DocID
	var samples [][]uint32
	for more := true; more; docs, samples = docs[:0], samples[:0] {
		for more && len(docs) < atOnce {
			doc, sample, err := f.next(r)
			if more = err != io.EOF; !more {
				break
			}
			if err != nil {
				return fmt.Errorf("temporary file: %w", err)
			}
			docs, samples = append(docs, doc), append(samples, sample)
		}
		err := f.kv.Update(context.Background(), func(tx kv.Tx) error {
			for i, doc := range docs {
				parts.AddSample(tx, uint64(doc), samples[i])
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// next reads a page that add has written; io.EOF says that there is no more.
func (f *partFinder) next(r *bufio.Reader) (dedup.DocID, []uint32, error) {
	var head [8]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return 0, nil, err
	}
	sample := make([]uint32, binary.LittleEndian.Uint32(head[4:]))
	f.row = slices.Grow(f.row[:0], 4*len(sample))[:4*len(sample)]
	if _, err := io.ReadFull(r, f.row); err != nil {
		return 0, nil, errors.Join(errTornPage, err)
	}
	for i := range sample {
		sample[i] = binary.LittleEndian.Uint32(f.row[4*i:])
	}
	return dedup.DocID(binary.LittleEndian.Uint32(head[:])), sample, nil
}

// spoolTexts are the texts of a spool by the numbers that verdicts have. A batch has one gate, so
// they are the gate's numbers.
type spoolTexts struct{ spool *spool }

func (t spoolTexts) PartText(of dedup.Ref) (*dedup.PartText, error) {
	text, ok, err := t.spool.Text(dedup.DocID(of))
	if err != nil || !ok {
		return nil, err
	}
	return text.ForParts(), nil
}

// tell looks for shared text, and calls visit with the pages that have some.
func (f *partFinder) tell(visit func(PartsLine) error) error {
	if f == nil {
		return nil
	}
	if err := f.load(); err != nil {
		return err
	}
	if _, err := parts.Find(context.Background(), f.kv, "", spoolTexts{f.spool}, nil); err != nil {
		return err
	}
	url := func(seq uint64) (string, error) {
		_, name, err := f.spool.page(dedup.DocID(seq))
		return name, err
	}
	return f.kv.View(context.Background(), func(r kv.Reader) error {
		return parts.Each(r, func(seq uint64) (err error) {
			l := PartsLine{Seq: seq}
			if l.URL, err = url(seq); err == nil {
				l.PartOf, l.Contains, err = parts.Of(r, seq, url)
			}
			if err != nil {
				return err
			}
			return visit(l)
		})
	})
}
