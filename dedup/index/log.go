package index

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"gatecrawl.example/gatecrawl/durable"
)

// A logFile holds the rows that are not in a run yet. All numbers are
// little-endian. It starts with 32 bytes:
//
//	0  8  "gcgatel1"
//	8  8  shape, see Options.Shape
//	16 4  the document after which it starts
//	20 8  zero
//	28 4  CRC-32C of the 28 bytes before
//
// and goes on with frames, one a commit:
//
//	0  4  length of the rows
//	4  4  the last document whose rows these are
//	8  4  CRC-32C of the 8 bytes before and the rows, started with the CRC before:
//	      of the last frame, or of the head
//	12    rows
//
// A row is a byte that says what it is, and
//
//	1   document (4): those that follow are its rows
//	2   document (4), fingerprint (8), outline, bands (4 each)
//	16+ table of heads 0 and on: document (4), head (8)
type logFile struct {
	path string
	file *os.File
	sum  uint32
	buf  []byte // of a frame
}

const (
	logHead   = 32
	frameHead = 12
	logSuffix = ".log"
	maxFrame  = 1 << 30

	rowDoc  = 1
	rowNear = 2
	rowHead = 16
)

var (
	logMagic = []byte("gcgatel1")
	little   = binary.LittleEndian
)

func appendDocRow(b []byte, doc DocID) []byte {
	return little.AppendUint32(append(b, rowDoc), uint32(doc))
}

func appendNearRow(b []byte, doc DocID, fp uint64, o Outline, keys []uint32) []byte {
	b = little.AppendUint32(append(b, rowNear), uint32(doc))
	b = little.AppendUint64(b, fp)
	b = append(b, o[:]...)
	for _, k := range keys {
		b = little.AppendUint32(b, k)
	}
	return b
}

func appendHeadRow(b []byte, t HeadTable, head uint64, doc DocID) []byte {
	b = little.AppendUint32(append(b, rowHead+byte(t)), uint32(doc))
	return little.AppendUint64(b, head)
}

// enter adds the rows of a frame to memory, except those of documents up to after. Each document
// has a number of bands. It returns false if these are not rows.
func (m *memory) enter(rows []byte, after DocID, bands int) bool {
	wanted := false
	for len(rows) > 0 {
		kind := rows[0]
		rows = rows[1:]
		size := 4
		switch {
		case kind == rowNear:
			size += 8 + OutlineSize + 4*bands
		case kind >= rowHead && int(kind) < rowHead+digestTables:
			size += 8
		case kind != rowDoc:
			return false
		}
		if len(rows) < size {
			return false
		}
		doc := DocID(little.Uint32(rows))
		switch {
		case kind == rowDoc:
			if wanted = doc > after; wanted {
				m.docs++
			}
		case !wanted:
		case kind == rowNear:
			m.near.Insert(little.Uint64(rows[4:]), doc)
			m.known.set(doc, Outline(rows[12:][:OutlineSize]))
			var keys Bands
			for i := range bands {
				keys[i] = little.Uint32(rows[12+OutlineSize+4*i:])
			}
			m.bands.add(keys, bands, doc)
		default:
			m.heads[kind-rowHead].add(little.Uint64(rows[4:]), doc)
		}
		rows = rows[size:]
	}
	return true
}

// createLog starts a log, and makes its name durable.
func createLog(dir string, shape uint64, from DocID) (*logFile, error) {
	b := make([]byte, logHead)
	copy(b, logMagic)
	little.PutUint64(b[8:], shape)
	little.PutUint32(b[16:], uint32(from))
	l := &logFile{path: filepath.Join(dir, logName(from)), sum: durable.Sum(b[:28])}
	little.PutUint32(b[28:], l.sum)
	file, err := os.OpenFile(l.path+".new", os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return nil, err
	}
	l.file = file
	_, err = file.Write(b)
	if err == nil {
		err = file.Sync()
	}
	if err == nil {
		err = errors.Join(os.Rename(file.Name(), l.path), durable.SyncDir(dir))
	}
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return l, nil
}

func logName(from DocID) string { return fmt.Sprintf("%010d%s", from, logSuffix) }

func parseLogName(name string) (from DocID, ok bool) {
	if _, err := fmt.Sscanf(strings.TrimSuffix(name, logSuffix), "%d", &from); err != nil {
		return 0, false
	}
	return from, logName(from) == name
}

// A replay is the result of reading a log.
type replay struct {
	complete DocID  // the last document whose rows are there
	end      int64  // of the intact frames; 0: it is not a log of this shape
	tail     string // what is wrong after end; "": nothing, or a frame that was not written completely
	sum      uint32
}

// readLog passes the intact frames of a log to fn, up to the one that goes beyond last. An error is
// one of the file system.
func readLog(file io.Reader, shape uint64, last DocID, fn func(rows []byte) bool) replay {
	r := bufio.NewReaderSize(file, 1<<16)
	head := make([]byte, logHead)
	if _, err := io.ReadFull(r, head); err != nil {
		return replay{}
	}
	p := replay{sum: durable.Sum(head[:28])}
	if string(head[:8]) != string(logMagic) || little.Uint32(head[28:]) != p.sum {
		return replay{tail: "its head is altered"}
	}
	if little.Uint64(head[8:]) != shape {
		return replay{}
	}
	p.complete, p.end = DocID(little.Uint32(head[16:])), logHead
	var rows []byte
	for {
		var h [frameHead]byte
		if _, err := io.ReadFull(r, h[:]); err != nil {
			return p // the end, or a frame whose head was not written completely
		}
		n, doc := little.Uint32(h[:]), DocID(little.Uint32(h[4:]))
		if n > maxFrame || doc < p.complete {
			p.tail = fmt.Sprintf("the frame at byte %d is altered", p.end)
			return p
		}
		if doc > last {
			return p
		}
		var err error
		if rows, err = readRows(r, rows, int(n)); err != nil {
			return p
		}
		sum := durable.Update(durable.Update(p.sum, h[:8]), rows)
		if sum != little.Uint32(h[8:]) || !fn(rows) {
			p.tail = fmt.Sprintf("the frame at byte %d is altered", p.end)
			return p
		}
		p.complete, p.sum = doc, sum
		p.end += frameHead + int64(n)
	}
}

// readRows reads n bytes. It does not allocate more than the file has.
func readRows(r io.Reader, buf []byte, n int) ([]byte, error) {
	buf = buf[:0]
	for len(buf) < n {
		at := len(buf)
		buf = append(buf, make([]byte, min(n-at, 1<<20))...)
		if _, err := io.ReadFull(r, buf[at:]); err != nil {
			return nil, err
		}
	}
	return buf, nil
}

// continueLog opens a log to be continued after its intact frames, and cuts off the rest.
func continueLog(path string, p replay) (*logFile, error) {
	file, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return nil, err
	}
	err = file.Truncate(p.end)
	if err == nil {
		_, err = file.Seek(p.end, io.SeekStart)
	}
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return &logFile{path: path, file: file, sum: p.sum}, nil
}

// append writes a frame.
func (l *logFile) append(rows []byte, last DocID) error {
	l.buf = append(l.buf[:0], make([]byte, frameHead)...)
	little.PutUint32(l.buf, uint32(len(rows)))
	little.PutUint32(l.buf[4:], uint32(last))
	l.buf = append(l.buf, rows...)
	l.sum = durable.Update(durable.Update(l.sum, l.buf[:8]), rows)
	little.PutUint32(l.buf[8:], l.sum)
	_, err := l.file.Write(l.buf)
	return err
}

func (l *logFile) close() error {
	if err := l.file.Close(); err != nil && !errors.Is(err, os.ErrClosed) {
		return err
	}
	return nil
}
