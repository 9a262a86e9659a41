package parts

import (
	"os"
	"slices"
	"sync"

	"gatecrawl.example/gatecrawl/dedup"
	"gatecrawl.example/gatecrawl/purify"
	"gatecrawl.example/gatecrawl/scratch"
)

// The file of Recent.
const (
	blockLength = 1 << 20 // bytes that are written at once, and the longest text that is kept
	mostBlocks  = 1 << 8
)

// Recent has the texts of the pages that Add was called with last, up to 256 MB of them: 1 MB in memory, the
// others in a temporary file, which vanishes when the process ends. Find compares these, and need not read the
// pages from the archive again. A text that is not there, because it is too old, was added by another process or
// could not be written, is read again, and so is one that another template of its site makes another text of. A nil
// *Recent has none.
type Recent struct {
	dir    string
	site   func(seq uint64) (*purify.Template, error)
	length int // of a block

	mu     sync.Mutex
	texts  map[uint64]recentText
	blocks [][]uint64 // the pages whose texts are in each block of the file
	block  []byte     // the newest block, not written yet
	row    []byte     // of the text that was added or read last
	n      int        // its number; its place in the file is n % len(blocks)
	f      *os.File   // nil: there is none
	failed bool       // the file can't be created or written
}

// A recentText is the place of a text.
type recentText struct {
	block          int
	from, body, to int // in the block: a choice of dedup, and the text
}

// NewRecent returns an empty Recent with its file in dir ("" is the system's folder for temporary files). The file is
// created when there is more than a block. Site returns the template of a kept page's site as it is now; nil: there is none.
func NewRecent(dir string, site func(seq uint64) (*purify.Template, error)) *Recent {
	return newRecent(dir, site, mostBlocks, blockLength)
}

func newRecent(dir string, site func(seq uint64) (*purify.Template, error), blocks, length int) *Recent {
	return &Recent{dir: dir, site: site, length: length, texts: make(map[uint64]recentText), blocks: make([][]uint64, blocks)}
}

// Close removes the file.
func (t *Recent) Close() error {
	if t == nil || t.f == nil {
		return nil
	}
	return scratch.Close(t.f)
}

// add notes the text that the sample of a page was made of. If the transaction fails nothing is added any more: a
// store has ended then.
func (t *Recent) add(seq uint64, text *dedup.Text) {
	if t == nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.texts, seq)
	if t.failed {
		return
	}
	if t.row = text.AppendChoice(t.row[:0]); t.row == nil {
		return
	}
	body := len(t.row)
	t.row = append(t.row, text.Body...)
	if len(t.row) > t.length || len(t.block)+len(t.row) > t.length && !t.next() {
		return
	}
	from := len(t.block)
	t.block = append(t.block, t.row...)
	t.texts[seq] = recentText{t.n, from, from + body, len(t.block)}
	at := t.n % len(t.blocks)
	t.blocks[at] = append(t.blocks[at], seq)
}

// Renew notes a page's text as it is read now, if the one that it was added with is there.
func (t *Recent) Renew(seq uint64, now *dedup.Text) {
	if t == nil {
		return
	}
	t.mu.Lock()
	_, has := t.texts[seq]
	if has && now.SaysLittle() {
		delete(t.texts, seq)
	}
	t.mu.Unlock()
	if has && !now.SaysLittle() {
		t.add(seq, now)
	}
}

// next writes the newest block, forgets the texts of the one whose place the next takes, and reports whether there is one.
func (t *Recent) next() bool {
	if err := t.write(); err != nil {
		t.failed = true // a full disk, say: pages are read again
		clear(t.texts)
		t.block, t.row = nil, nil
		return false
	}
	t.n++
	t.block = t.block[:0]
	at := t.n % len(t.blocks)
	for _, seq := range t.blocks[at] {
		if t.texts[seq].block <= t.n-len(t.blocks) { // no later text of it was added
			delete(t.texts, seq)
		}
	}
	t.blocks[at] = t.blocks[at][:0]
	return true
}

func (t *Recent) write() (err error) {
	if t.f == nil {
		if t.f, err = scratch.Create(t.dir, "crawl-texts-*"); err != nil {
			return err
		}
	}
	_, err = t.f.WriteAt(t.block, t.place(t.n))
	return err
}

// place returns where a block is in the file.
func (t *Recent) place(block int) int64 { return int64(block%len(t.blocks)) * int64(t.length) }

// of returns the text of a page; nil if it is not there, or is another one now.
func (t *Recent) of(seq uint64) (*dedup.PartText, error) {
	if t == nil {
		return nil, nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	at, ok := t.texts[seq]
	if !ok {
		return nil, nil
	}
	t.row = slices.Grow(t.row[:0], at.to-at.from)[:at.to-at.from]
	if at.block == t.n {
		copy(t.row, t.block[at.from:])
	} else if _, err := t.f.ReadAt(t.row, t.place(at.block)+int64(at.from)); err != nil {
		return nil, nil
	}
	choice, body := t.row[:at.body-at.from], t.row[at.body-at.from:]
	site, err := t.site(seq)
	if err != nil || !dedup.HasChoice(choice, site) {
		return nil, err
	}
	return dedup.PartOfBody(string(body)), nil
}
