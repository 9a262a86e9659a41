package disk

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"sort"
	"sync"
)

// A lookup finds rows in a bbolt file that nobody writes by reads of single pages. In the map of
// the file, which bbolt reads, each page that is looked at for the first time makes the kernel map
// sixteen, and unmap them in the end: for rows that are far apart that takes three times as long as a
// read. Where pages are looked at again and again the map is faster. A lookup is for one reader.
type lookup struct {
	*lookupFile
	branches map[uint64][]byte
	leaves   []leaf // by table: the last one read
	values   arena
}

// A leaf is a page that has rows.
type leaf struct {
	id   uint64 // 0: none was read
	page []byte
}

// A lookupFile is a file for lookups.
type lookupFile struct {
	file     io.ReaderAt
	pageSize int64
	pages    uint64
	close    func() error

	free sync.Pool // of lookups that no reader has: their pages are still those of the file
}

// leastSparse is the size of a file from which its pages are read one by one. In a smaller one a
// thousand rows are in the same sixteens of pages, which are mapped once (crawl fold of 1,000 URLs,
// median of 20 in turn, map and reads: 34 MB 19.3 and 19.7 ms, 154 MB with snippets 23.3 and 22.1).
const leastSparse = 64 << 20

// openLookups opens a bbolt file for lookups; nil: it has fewer bytes than least.
func openLookups(path string, least int64) (*lookupFile, error) {
	if info, err := os.Stat(path); err != nil || info.Size() < least {
		return nil, err
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	f, err := readPageFile(file)
	if err != nil {
		return nil, pagesError(path, errors.Join(err, file.Close()))
	}
	return &lookupFile{file: file, pageSize: f.pageSize, pages: f.pages, close: file.Close}, nil
}

// lookup returns a lookup for a reader, who gives it back.
func (f *lookupFile) lookup(tables int) *lookup {
	if l, ok := f.free.Get().(*lookup); ok {
		return l
	}
	return &lookup{lookupFile: f, branches: make(map[uint64][]byte), leaves: make([]leaf, tables)}
}

// giveBack ends the use of a lookup, and of the values that it returned.
func (l *lookup) giveBack() {
	l.values.reset()
	l.free.Put(l)
}

// get returns a copy of the value that a key has in the tree below a page, nil if there is no such row.
// The copy is valid as long as the reader.
func (l *lookup) get(table int, root uint64, key []byte) ([]byte, error) {
	id := root
	for range maxDepth {
		b, isLeaf, err := l.page(table, id)
		if err != nil {
			return nil, fmt.Errorf("page %d: %w", id, err)
		}
		n := int(native.Uint16(b[10:]))
		var fault error
		at := sort.Search(n, func(i int) bool { // the first entry that is not below key
			k, _, _, err := element(b, i)
			if err != nil && fault == nil {
				fault = fmt.Errorf("page %d: entry %d: %w", id, i, err)
			}
			return bytes.Compare(k, key) >= 0
		})
		if fault != nil {
			return nil, fault
		}
		var k, value, head []byte
		if at < n {
			k, value, head, _ = element(b, at)
		}
		if isLeaf {
			if at == n || !bytes.Equal(k, key) || native.Uint32(head)&1 != 0 { // a bucket is no row
				return nil, nil
			}
			return l.values.clone(value), nil
		}
		if n == 0 {
			return nil, fmt.Errorf("page %d: it leads nowhere", id)
		}
		if at > 0 && (at == n || !bytes.Equal(k, key)) {
			_, _, head, _ = element(b, at-1)
		}
		id = native.Uint64(head[8:])
	}
	return nil, fmt.Errorf("page %d: pages lead too deep", root)
}

// page returns a branch or a leaf, good until the next leaf of the table is asked for.
func (l *lookup) page(table int, id uint64) (b []byte, isLeaf bool, err error) {
	if b := l.branches[id]; b != nil {
		return b, false, nil
	}
	last := &l.leaves[table]
	if id == last.id && id > 0 {
		return last.page, true, nil
	}
	if id < 2 || id >= l.pages {
		return nil, false, fmt.Errorf("there are %d", l.pages)
	}
	last.id = 0
	if b, err = l.read(last.page[:0], id, 1); err != nil {
		return nil, false, err
	}
	last.page = b
	if n := native.Uint64(b); n != id {
		return nil, false, fmt.Errorf("it says that it is page %d", n)
	}
	if more := uint64(native.Uint32(b[12:])); more >= l.pages-id {
		return nil, false, fmt.Errorf("it says that it runs over %d pages", more)
	} else if more > 0 {
		if b, err = l.read(b, id+1, more); err != nil {
			return nil, false, err
		}
		last.page = b
	}
	switch native.Uint16(b[8:]) {
	case leafPage:
		last.id = id
		return b, true, nil
	case branchPage:
		b = bytes.Clone(b)
		l.branches[id] = b
		return b, false, nil
	}
	return nil, false, fmt.Errorf("it is of no kind that there is (%#x)", native.Uint16(b[8:]))
}

// read appends pages to b.
func (l *lookup) read(b []byte, id, n uint64) ([]byte, error) {
	had, size := len(b), int(int64(n)*l.pageSize)
	if cap(b) < had+size {
		b = append(make([]byte, 0, had+size), b...)
	}
	b = b[:had+size]
	_, err := l.file.ReadAt(b[had:], int64(id)*l.pageSize)
	return b, err
}
