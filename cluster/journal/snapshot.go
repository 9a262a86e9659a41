package journal

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/klauspost/compress/s2"

	"gatecrawl.example/gatecrawl/store/kv/disk"
)

// A snapshot is a blob with the rows: the mark, and then changes to an empty store, each compressed
// and preceded by its length, up to a length of 0. Another blob lists the growing files, whose
// bytes are in blobs that later snapshots use too.

// put stores a snapshot of a store. It calls `of` with the mark of the rows, which returns the mark
// of the snapshot and the parts of growing files to store in addition to those that are in blobs
// already. size is the size of the rows.
func (j *Journal) put(s *disk.Store, there []stretch, of func(mark []byte) (mark, []stretch, error)) (p pointer, size int64, err error) {
	j.number++
	name := fmt.Sprintf("%s-%d-%d", j.o.Name, j.Epoch(), j.number)
	var m mark
	var grown []stretch
	r, w := io.Pipe()
	var dumped error
	j.work.Go(func() { // ends when the blob is stored or could not be
		var n int64
		n, dumped = dump(j.ctx, s, w, func(b []byte) (enc []byte, err error) {
			if m, grown, err = of(b); err != nil {
				return nil, err
			}
			return m.encode()
		})
		size = n
		w.CloseWithError(dumped)
	})
	err = j.o.Engine.Put(j.ctx, name, r)
	r.CloseWithError(errors.Join(err, io.ErrClosedPipe))
	if err != nil {
		return p, 0, err
	}
	list := filesList{Stretches: there, Tails: m.Tails}
	for i, g := range grown {
		g.Blob = fmt.Sprintf("%s-%d", name, i)
		if err := j.putStretch(g); err != nil {
			return p, 0, err
		}
		list.Stretches = append(list.Stretches, g)
	}
	b, err := json.Marshal(list)
	if err == nil {
		err = j.o.Engine.Put(j.ctx, filesBlob(name), bytes.NewReader(b))
	}
	return pointer{Lineage: m.Lineage, At: m.At, Blob: name}, size, err
}

func (j *Journal) putStretch(g stretch) error {
	f, err := os.Open(filepath.Join(j.o.Dir, g.Folder, g.Name))
	if err != nil {
		return err
	}
	defer f.Close()
	return j.o.Engine.Put(j.ctx, g.Blob, io.NewSectionReader(f, g.Offset, g.Size))
}

// dump writes the rows of a store, and returns how many bytes they take.
func dump(ctx context.Context, s *disk.Store, w io.Writer, of func(mark []byte) ([]byte, error)) (size int64, err error) {
	out := bufio.NewWriterSize(w, 1<<17)
	write := func(b []byte) error {
		out.Write(binary.AppendUvarint(nil, uint64(len(b))))
		size += int64(len(b))
		_, err := out.Write(b)
		return err
	}
	err = s.Dump(ctx, func(mark []byte) error {
		m, err := of(mark)
		if err == nil {
			err = write(m)
		}
		return err
	}, func(redo []byte) error { return write(s2.Encode(nil, redo)) })
	if err == nil {
		err = write(nil)
	}
	return size, errors.Join(err, out.Flush())
}

// maxChunk bounds the bytes that are read at once. A row may have more than a megabyte.
const maxChunk = 1 << 30

func readChunk(in *bufio.Reader) ([]byte, error) {
	n, err := binary.ReadUvarint(in)
	if err != nil {
		return nil, err
	}
	if n > maxChunk {
		return nil, fmt.Errorf("snapshot: %w", errEntry)
	}
	b := make([]byte, n)
	_, err = io.ReadFull(in, b)
	return b, err
}

// restore creates a folder from a snapshot. The folder gets its name only when it is complete.
func restore(ctx context.Context, o Options, p pointer) (m mark, err error) {
	tmp := o.Dir + ".new"
	if err := errors.Join(os.RemoveAll(tmp), os.MkdirAll(tmp, 0o700)); err != nil {
		return m, err
	}
	list, err := readFiles(ctx, o.Engine, p.Blob)
	if err != nil {
		return m, err
	}
	w := &writer{dir: tmp}
	for _, s := range list.Stretches {
		if err := restoreStretch(ctx, o, w, s); err != nil {
			return m, errors.Join(err, w.close())
		}
	}
	if err := w.close(); err != nil {
		return m, err
	}
	if m, err = restoreRows(ctx, o, p, tmp); err != nil {
		return m, err
	}
	if err := os.RemoveAll(o.Dir); err != nil {
		return m, err
	}
	return m, os.Rename(tmp, o.Dir)
}

func restoreStretch(ctx context.Context, o Options, w *writer, s stretch) error {
	r, err := o.Engine.Get(ctx, s.Blob)
	if err != nil {
		return err
	}
	defer r.Close()
	if err := w.open(s.Folder, s.Name); err != nil {
		return err
	}
	n, err := io.Copy(io.NewOffsetWriter(w.file, s.Offset), r)
	if err == nil && n != s.Size {
		err = fmt.Errorf("blob %s has %d bytes, want %d", s.Blob, n, s.Size)
	}
	return err
}

func restoreRows(ctx context.Context, o Options, p pointer, dir string) (m mark, err error) {
	r, err := o.Engine.Get(ctx, p.Blob)
	if err != nil {
		return m, err
	}
	defer r.Close()
	in := bufio.NewReaderSize(r, 1<<17)
	b, err := readChunk(in)
	if err == nil {
		m, err = decodeMark(b)
	}
	if err != nil {
		return m, err
	}
	m.Lineage, m.At, m.Blob = p.Lineage, p.At, p.Blob
	db, err := disk.Open(filepath.Join(dir, o.File), o.Tables, disk.Options{})
	if err != nil {
		return m, err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	for {
		b, err := readChunk(in)
		if err != nil {
			return m, err
		}
		if len(b) == 0 {
			break
		}
		if b, err = s2.Decode(nil, b); err != nil {
			return m, err
		}
		if err := db.Apply(nil, b); err != nil {
			return m, err
		}
	}
	if _, err := io.Copy(io.Discard, in); err != nil { // the engine checks the whole blob when its end is read
		return m, err
	}
	enc, err := m.encode()
	if err != nil {
		return m, err
	}
	return m, db.Apply(enc)
}
