package disk

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
)

// A pageFile reads a bbolt file without bbolt, page by page, and relies only on what it has
// checked: bbolt follows whatever its pages say, and a flipped bit in them can end the process. The
// format is version 2 of bbolt, in the machine's byte order.
type pageFile struct {
	r        io.ReaderAt
	pageSize int64
	pages    uint64 // number of pages in use
	root     uint64
	freelist uint64

	// strict also reports a leaf or branch that does not start with the key under which its parent
	// has it. That does not harm a reader, but would mislead bbolt when it writes.
	strict bool

	seen  pageSet
	fault func(error) error
}

// A pageSet is a set of page numbers, with a bit for each page of a file.
type pageSet []uint64

func newPageSet(pages uint64) pageSet  { return make(pageSet, pages/64+1) }
func (s pageSet) has(page uint64) bool { return s[page/64]>>(page%64)&1 == 1 }
func (s pageSet) add(page uint64)      { s[page/64] |= 1 << (page % 64) }

const (
	dbMagic    = 0xED0CDAED
	dbVersion  = 2
	metaAt     = 16 // after the header of its page
	metaSum    = 56 // bytes that the checksum covers
	pageHead   = 16
	elemSize   = 16
	branchPage = 1
	leafPage   = 2
	freePage   = 16
	noFreelist = ^uint64(0)
	maxDepth   = 64
)

var native = binary.NativeEndian

// errCut says that a file is shorter than its pages, errNoMeta that no page says where its trees
// start.
var (
	errCut    = errors.New("it is cut short")
	errNoMeta = errors.New("neither of its two first pages is intact")
)

// openPageFile reads the newer one of the two meta pages that is intact. For a file that is cut
// short it returns the rest of it with errCut, and for one without meta pages a file without trees
// with errNoMeta.
func openPageFile(r io.ReaderAt, size int64, pageSize int) (*pageFile, error) {
	f := &pageFile{r: r, pageSize: int64(pageSize)}
	newest, found := uint64(0), false
	for i := range int64(2) {
		b := make([]byte, metaAt+metaSum+8)
		if _, err := r.ReadAt(b, i*f.pageSize); errors.Is(err, io.EOF) {
			break // the file ends before it
		} else if err != nil {
			return nil, err
		}
		m := b[metaAt:]
		h := fnv.New64a()
		h.Write(m[:metaSum])
		if native.Uint32(m) != dbMagic || native.Uint32(m[4:]) != dbVersion || h.Sum64() != native.Uint64(m[metaSum:]) {
			continue
		}
		if id := native.Uint64(m[48:]); !found || id > newest {
			newest, found = id, true
			f.pageSize = int64(native.Uint32(m[8:]))
			f.root, f.freelist, f.pages = native.Uint64(m[16:]), native.Uint64(m[32:]), native.Uint64(m[40:])
		}
	}
	if !found {
		f.pageSize = guessPageSize(r, f.pageSize)
		f.pages = uint64(size / f.pageSize)
		f.seen = newPageSet(f.pages)
		return f, errNoMeta
	}
	if left := uint64(size / f.pageSize); f.pages > left {
		err := fmt.Errorf("%w: it has %d bytes, and %d pages of %d", errCut, size, f.pages, f.pageSize)
		f.pages, f.seen = left, newPageSet(left)
		return f, err
	}
	f.seen = newPageSet(f.pages)
	return f, nil
}

// guessPageSize returns the page size at which most of the first pages have their own numbers.
func guessPageSize(r io.ReaderAt, usual int64) int64 {
	best, most := usual, 0
	for size := int64(1 << 10); size <= 1<<16; size *= 2 {
		n := 0
		for id := range int64(256) {
			b := make([]byte, 8)
			if _, err := r.ReadAt(b, id*size); err == nil && id > 1 && native.Uint64(b) == uint64(id) {
				n++
			}
		}
		if n > most {
			best, most = size, n
		}
	}
	return best
}

// A record is what a leaf has: a key, and a value or a bucket.
type record struct {
	key, value []byte
	bucket     bool
}

// A span is what the parent page says about a tree: its first key, and the key that all of its keys
// are below; nil: unknown.
type span struct{ first, before []byte }

// records calls yield for all records of a tree whose pages are sound, and fault for the pages that
// are not. yield may keep the bytes.
func (f *pageFile) records(page uint64, in span, depth int, yield func(record) error) error {
	b, err := f.page(page)
	if err == nil && depth > maxDepth {
		err = errors.New("pages lead too deep")
	}
	if err != nil {
		return f.fault(fmt.Errorf("page %d: %w", page, err))
	}
	if key, _, _, err := element(b, 0); f.strict && in.first != nil && err == nil && !bytes.Equal(key, in.first) {
		if err := f.fault(fmt.Errorf("page %d: its first key is %x, and was %x", page, key, in.first)); err != nil {
			return err
		}
	}
	if native.Uint16(b[8:]) == branchPage {
		return f.branches(b, page, in, depth, yield)
	}
	return f.elements(b, fmt.Sprintf("page %d", page), func(key, value, head []byte) error {
		if in.before != nil && bytes.Compare(key, in.before) >= 0 {
			if err := f.fault(fmt.Errorf("page %d: key %x is behind %x, with which the next page starts", page, key, in.before)); err != nil {
				return err
			}
		}
		return yield(record{key, value, native.Uint32(head)&1 != 0})
	})
}

// branches is records for a branch page.
func (f *pageFile) branches(b []byte, page uint64, in span, depth int, yield func(record) error) error {
	type branch struct {
		key []byte
		to  uint64
	}
	var list []branch
	err := f.elements(b, fmt.Sprintf("page %d", page), func(key, _, head []byte) error {
		list = append(list, branch{key, native.Uint64(head[8:])})
		return nil
	})
	for i := 0; i < len(list) && err == nil; i++ {
		below := span{list[i].key, in.before}
		if i+1 < len(list) {
			below.before = list[i+1].key
		}
		err = f.records(list[i].to, below, depth+1, yield)
	}
	return err
}

// elements calls yield for the entries of a branch or a leaf that are inside the page.
func (f *pageFile) elements(b []byte, name string, yield func(key, value, head []byte) error) error {
	var last []byte
	for i := range int(native.Uint16(b[10:])) {
		key, value, head, err := element(b, i)
		if err == nil && i > 0 && bytes.Compare(last, key) >= 0 {
			err = errors.New("its keys are out of order")
		}
		if err != nil {
			if err := f.fault(fmt.Errorf("%s: entry %d: %w", name, i, err)); err != nil {
				return err
			}
			if key == nil {
				continue
			}
		}
		last = key
		if err := yield(key, value, head); err != nil {
			return err
		}
	}
	return nil
}

// element returns an entry of a branch or a leaf.
func element(b []byte, i int) (key, value, head []byte, err error) {
	at := pageHead + i*elemSize
	if at+elemSize > len(b) {
		return nil, nil, nil, errors.New("it is outside the page")
	}
	head = b[at:][:elemSize]
	pos, ksize, vsize := uint64(native.Uint32(head)), uint64(native.Uint32(head[4:])), uint64(0)
	if native.Uint16(b[8:]) == leafPage {
		pos, ksize, vsize = uint64(native.Uint32(head[4:])), uint64(native.Uint32(head[8:])), uint64(native.Uint32(head[12:]))
	}
	if ksize == 0 {
		return nil, nil, head, errors.New("it has no key")
	}
	from := uint64(at) + pos
	if from+ksize+vsize > uint64(len(b)) {
		return nil, nil, head, errors.New("it is outside the page")
	}
	return b[from:][:ksize:ksize], b[from+ksize:][:vsize:vsize], head, nil
}

// page reads a branch or a leaf, with its overflow pages.
func (f *pageFile) page(id uint64) ([]byte, error) {
	b, err := f.read(id)
	if err != nil {
		return nil, err
	}
	if flags := native.Uint16(b[8:]); flags != branchPage && flags != leafPage {
		return nil, fmt.Errorf("it is of no kind that there is (%#x)", flags)
	}
	return b, nil
}

func (f *pageFile) read(id uint64) ([]byte, error) {
	if id < 2 || id >= f.pages {
		return nil, fmt.Errorf("there are %d", f.pages)
	}
	head := make([]byte, pageHead)
	if _, err := f.r.ReadAt(head, int64(id)*f.pageSize); err != nil {
		return nil, err
	}
	if n := native.Uint64(head); n != id {
		return nil, fmt.Errorf("it says that it is page %d", n)
	}
	more := uint64(native.Uint32(head[12:]))
	if more >= f.pages-id {
		return nil, fmt.Errorf("it says that it runs over %d pages", more)
	}
	for i := range more + 1 {
		if f.seen.has(id + i) {
			return nil, errors.New("two lead to it")
		}
		f.seen.add(id + i)
	}
	b := make([]byte, int64(more+1)*f.pageSize)
	_, err := f.r.ReadAt(b, int64(id)*f.pageSize)
	return b, err
}

// errSkip says that the records of a bucket are not wanted. Records that are stored inside the
// bucket's entry are yielded anyway.
var errSkip = errors.New("skip")

// all calls yield for all records in all buckets, bucket by bucket. Before those of each bucket it
// calls start, with the bucket's sequence.
func (f *pageFile) all(start func(bucket []byte, seq uint64) error, yield func(bucket []byte, r record) error) error {
	return f.records(f.root, span{}, 0, func(r record) error {
		const head = 16
		if !r.bucket || len(r.value) < head {
			return f.fault(fmt.Errorf("bucket %q is none", r.key))
		}
		root, seq := native.Uint64(r.value), native.Uint64(r.value[8:])
		err := start(r.key, seq)
		if err != nil && !errors.Is(err, errSkip) {
			return err
		}
		each := func(in record) error { return yield(r.key, in) }
		if root != 0 && err != nil {
			return nil
		}
		if root != 0 {
			return f.records(root, span{}, 0, each)
		}
		inline := r.value[head:]
		if len(inline) < pageHead || native.Uint16(inline[8:]) != leafPage {
			return f.fault(fmt.Errorf("bucket %q is altered", r.key))
		}
		return f.elements(inline, fmt.Sprintf("bucket %q", r.key), func(key, value, head []byte) error {
			return each(record{key, value, native.Uint32(head)&1 != 0})
		})
	})
}

// errFault ends a walk with the first fault.
var errFault = errors.New("fault")

// check returns the first fault of the file's pages; nil: they are sound. Of buckets that are not
// wanted it checks only the entries.
func (f *pageFile) check(wanted func(bucket []byte) bool) (fault error) {
	f.fault = func(err error) error { fault = err; return errFault }
	start := func(bucket []byte, _ uint64) error {
		if !wanted(bucket) {
			return errSkip
		}
		return nil
	}
	err := f.all(start, func(bucket []byte, r record) error {
		if r.bucket {
			return f.fault(fmt.Errorf("bucket %q: a record says that it is a bucket", bucket))
		}
		return nil
	})
	if fault == nil && err == nil && f.freelist != noFreelist {
		fault = f.checkFreelist()
	}
	if fault == nil {
		fault = err
	}
	return fault
}

// checkFreelist checks that no tree has free pages.
func (f *pageFile) checkFreelist() error {
	b, err := f.read(f.freelist)
	if err != nil {
		return fmt.Errorf("list of free pages: %w", err)
	}
	if native.Uint16(b[8:]) != freePage {
		return errors.New("list of free pages: it is of another kind")
	}
	ids, n := b[pageHead:], uint64(native.Uint16(b[10:]))
	if n == 0xFFFF && len(ids) >= 8 { // more than two bytes can count
		n, ids = native.Uint64(ids), ids[8:]
	}
	if n > uint64(len(ids)/8) {
		return fmt.Errorf("list of free pages: it has no room for %d", n)
	}
	for i := range n {
		id := native.Uint64(ids[8*i:])
		if id < 2 || id >= f.pages || f.seen.has(id) {
			return fmt.Errorf("list of free pages: page %d is not free", id)
		}
		f.seen.add(id)
	}
	return nil
}
