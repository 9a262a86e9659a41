package dedup

import (
	"bufio"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"io"
	"os"
	"path/filepath"
)

// A logFile holds what was inserted since the last run. It begins with 16 bytes:
//
//	0  8  "gcfplog1"
//	8  4  the document after which it begins
//	12 4  CRC-32C of the 12 bytes before
//
// and goes on with records of 16, all little-endian:
//
//	0  8  fingerprint
//	8  4  document
//	12 4  CRC-32C of the 12 bytes before and all records before them
type logFile struct {
	path string
	file *os.File
	w    *bufio.Writer
	sum  uint32
	last DocID
}

const (
	logRecord  = 16
	replayPart = 1 << 22 // records inserted at a time, about 150 MB
)

var (
	logMagic   = []byte("gcfplog1")
	castagnoli = crc32.MakeTable(crc32.Castagnoli)
)

// openLog reads the intact records of a log into mem, those above from and up
// to last, and cuts the log behind them. A log that does not continue from is
// begun anew.
func openLog(path string, from, last DocID, mem *Halves) (*logFile, error) {
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return nil, err
	}
	l := &logFile{path: path, file: file, last: from}
	end, err := l.replay(from, last, mem)
	if err == nil && end == 0 {
		err = errors.Join(file.Close(), l.restart(from))
		return l, err
	}
	if err == nil {
		err = file.Truncate(end)
	}
	if err == nil {
		_, err = file.Seek(end, io.SeekStart)
	}
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	l.w = bufio.NewWriterSize(file, 1<<16)
	return l, nil
}

// replay returns where the intact records end; 0 if the log is not to be used.
func (l *logFile) replay(from, last DocID, mem *Halves) (end int64, err error) {
	r := bufio.NewReaderSize(l.file, 1<<20)
	var b [logRecord]byte
	if !readRecord(r, &b) || string(b[:8]) != string(logMagic) ||
		binary.LittleEndian.Uint32(b[12:]) != crc32.Checksum(b[:12], castagnoli) ||
		DocID(binary.LittleEndian.Uint32(b[8:])) > from {
		return 0, nil
	}
	l.sum = binary.LittleEndian.Uint32(b[12:])
	end = logRecord
	var fps []uint64
	var docs []DocID
	for readRecord(r, &b) {
		sum := crc32.Update(l.sum, castagnoli, b[:12])
		doc := DocID(binary.LittleEndian.Uint32(b[8:]))
		if sum != binary.LittleEndian.Uint32(b[12:]) || doc > last {
			break
		}
		l.sum = sum
		end += logRecord
		if doc > l.last {
			fps, docs = append(fps, binary.LittleEndian.Uint64(b[:])), append(docs, doc)
			l.last = doc
		}
		if len(fps) == replayPart {
			mem.InsertAll(fps, docs)
			fps, docs = fps[:0], docs[:0]
		}
	}
	mem.InsertAll(fps, docs)
	return end, nil
}

// readRecord reports whether there is a whole one more. What cannot be read is
// as good as torn: the store has it.
func readRecord(r io.Reader, b *[logRecord]byte) bool {
	_, err := io.ReadFull(r, b[:])
	return err == nil
}

func (l *logFile) append(fp uint64, doc DocID) error {
	var b [logRecord]byte
	binary.LittleEndian.PutUint64(b[:], fp)
	binary.LittleEndian.PutUint32(b[8:], uint32(doc))
	l.sum = crc32.Update(l.sum, castagnoli, b[:12])
	binary.LittleEndian.PutUint32(b[12:], l.sum)
	l.last = doc
	_, err := l.w.Write(b[:])
	return err
}

func (l *logFile) sync() error {
	if err := l.w.Flush(); err != nil {
		return err
	}
	return l.file.Sync()
}

// restart puts an empty log in the place of this one, in one step.
func (l *logFile) restart(from DocID) error {
	var b [logRecord]byte
	copy(b[:], logMagic)
	binary.LittleEndian.PutUint32(b[8:], uint32(from))
	l.sum, l.last = crc32.Checksum(b[:12], castagnoli), from
	binary.LittleEndian.PutUint32(b[12:], l.sum)
	file, err := os.Create(l.path + ".new")
	if err != nil {
		return err
	}
	old := l.file
	l.file, l.w = file, bufio.NewWriterSize(file, 1<<16)
	if _, err := file.Write(b[:]); err != nil {
		return err
	}
	if err := errors.Join(file.Sync(), os.Rename(file.Name(), l.path), syncDir(filepath.Dir(l.path))); err != nil {
		return err
	}
	if err := old.Close(); err != nil && !errors.Is(err, os.ErrClosed) {
		return err
	}
	return nil
}

// syncDir makes the names in a folder durable.
func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}
