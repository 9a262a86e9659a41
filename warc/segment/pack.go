package segment

import (
	"bytes"
	"fmt"
	"sync"

	"github.com/klauspost/compress/gzip"

	"gatecrawl.example/gatecrawl/durable"
	"gatecrawl.example/gatecrawl/warc"
)

// A Record is a WARC record to store, whose content is a head and a body. Either may be empty.
type Record struct {
	Draft warc.Draft // its Content is ignored
	Head  []byte     // of the HTTP message
	Body  []byte     // the payload
}

// A Packed is a compressed record.
type Packed struct {
	bytes  []byte
	plain  int
	sum    uint32
	dict   *dictionary // nil: gzip
	sample sample      // to train a dictionary; empty: no sample is needed
}

// Len returns the length of the record in a segment, in bytes.
func (p *Packed) Len() int { return len(p.bytes) }

// bufferPool has the memory for records before and after they are compressed.
var bufferPool = sync.Pool{New: func() any { return new(buffers) }}

type buffers struct{ plain, packed []byte }

// maxBuffer is the size of the largest buffers that are reused, in bytes.
const maxBuffer = 1 << 21

func (r *buffers) release() {
	if cap(r.plain) <= maxBuffer && cap(r.packed) <= maxBuffer {
		bufferPool.Put(r)
	}
}

// Pack compresses a record. It may be called from any goroutine. The record has a digest of its
// payload but not of its block, since the frames have checksums.
func (s *Segments) Pack(r *Record) (*Packed, error) {
	room := bufferPool.Get().(*buffers)
	defer room.release()
	digest := ""
	if r.Body != nil && r.Draft.Fields.Get("WARC-Payload-Digest") == "" {
		digest = warc.DigestOf(r.Body)
	}
	b, err := r.Draft.AppendHead(room.plain[:0], "", digest, len(r.Head)+len(r.Body))
	if err != nil {
		return nil, fmt.Errorf("record of %s: %w", r.Draft.URL, err)
	}
	b = append(b, r.Head...)
	b = append(b, r.Body...)
	b = append(b, "\r\n\r\n"...)
	room.plain = b
	if len(b) > maxRecord {
		return nil, fmt.Errorf("record of %s: it has %d bytes, and at most %d fit", r.Draft.URL, len(b), maxRecord)
	}
	p := &Packed{plain: len(b)}
	if s.o.Compression != warc.Gzip {
		p.dict = s.dict.Load()
		if s.training.Load() {
			p.sample = sample{hostIn(r.Draft.URL), bytes.Clone(b[:min(len(b), sampleBytes)])}
		}
	}
	room.packed = p.compress(room.packed[:0], b)
	p.set(room.packed)
	return p, nil
}

// set stores a copy of a record's compressed form.
func (p *Packed) set(b []byte) { p.bytes, p.sum = bytes.Clone(b), durable.Sum(b) }

// compress appends the compressed form of a record.
func (p *Packed) compress(to, plain []byte) []byte {
	if p.dict != nil {
		return p.dict.enc.EncodeAll(plain, to)
	}
	var b bytes.Buffer
	z := gzips.Get().(*gzip.Writer)
	defer gzips.Put(z)
	z.Reset(&b)
	z.Write(plain) // to memory
	z.Close()
	return append(to, b.Bytes()...)
}

var gzips = sync.Pool{New: func() any {
	z, _ := gzip.NewWriterLevel(nil, gzip.BestSpeed) // this level is valid
	return z
}}

// repack compresses a record with the dictionary of the segment to which it is appended, since it
// was packed with another one.
func (p *Packed) repack(d *dictionary) error {
	plain, err := p.dict.dec.DecodeAll(p.bytes, nil)
	if err != nil {
		return err
	}
	p.dict = d
	p.set(p.compress(nil, plain))
	return nil
}
