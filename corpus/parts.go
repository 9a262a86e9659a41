package corpus

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"gatecrawl.example/gatecrawl/dedup"
	"gatecrawl.example/gatecrawl/dedup/parts"
	"gatecrawl.example/gatecrawl/page"
	"gatecrawl.example/gatecrawl/store/kv"
	"gatecrawl.example/gatecrawl/store/kv/disk"
)

// A PartsLine is a page that has something in common with others that it is no copy of.
type PartsLine struct {
	URL      string      `json:"url"`
	Seq      uint64      `json:"seq"`
	PartOf   []page.Part `json:"part_of,omitempty"`
	Contains []page.Part `json:"contains,omitempty"`
}

// atOnce is how many pages one commit of a partFinder has.
const atOnce = 200

// A partFinder finds the pages of a collection that have parts of others, in tables in a
// temporary folder. It is used from one goroutine; nil does nothing.
type partFinder struct {
	spool *spool
	dir   string
	kv    kv.Store
	docs  []dedup.DocID // that wait to be added
	drawn [][]uint32    // their samples
}

func newPartFinder(s *spool) (*partFinder, error) {
	dir, err := os.MkdirTemp("", "crawl-dedup-*")
	if err != nil {
		return nil, fmt.Errorf("temporary folder: %w", err)
	}
	tables, err := disk.Open(filepath.Join(dir, "parts.db"), parts.Tables(), disk.Options{})
	if err != nil {
		return nil, errors.Join(fmt.Errorf("temporary folder: %w", err), os.RemoveAll(dir))
	}
	return &partFinder{spool: s, dir: dir, kv: tables}, nil
}

func (f *partFinder) close() error {
	if f == nil {
		return nil
	}
	return errors.Join(f.kv.Close(), os.RemoveAll(f.dir))
}

// add adds a new page.
func (f *partFinder) add(doc dedup.DocID, text *dedup.Text) error {
	if f == nil {
		return nil
	}
	f.docs, f.drawn = append(f.docs, doc), append(f.drawn, text.Sample())
	if len(f.docs) < atOnce {
		return nil
	}
	return f.flush()
}

func (f *partFinder) flush() error {
	err := f.kv.Update(context.Background(), func(tx kv.Tx) error {
		for i, doc := range f.docs {
			if err := parts.AddSample(tx, uint64(doc), f.drawn[i]); err != nil {
				return err
			}
		}
		return nil
	})
	clear(f.drawn)
	f.docs, f.drawn = f.docs[:0], f.drawn[:0]
	return err
}

// spoolTexts are the texts of a spool by the names that verdicts give: a batch is one gate, so
// these are its numbers.
type spoolTexts struct{ spool *spool }

func (t spoolTexts) Text(of dedup.Ref) (dedup.Text, bool, error) {
	return t.spool.Text(dedup.DocID(of))
}

// tell looks for parts, and hands out the pages that have some.
func (f *partFinder) tell(visit func(PartsLine) error) error {
	if f == nil {
		return nil
	}
	if err := f.flush(); err != nil {
		return err
	}
	if _, err := parts.Find(context.Background(), f.kv, spoolTexts{f.spool}); err != nil {
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
