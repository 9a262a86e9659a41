package segment

import (
	"bytes"
	"fmt"
	"sync"

	"github.com/klauspost/compress/gzip"

	"gatecrawl.example/gatecrawl/durable"
	"gatecrawl.example/gatecrawl/warc"
)

// A Record is what is to be kept: a WARC record whose content is a head and a body, either
// of which may be empty.
type Record struct {
	Draft warc.Draft // its Content is not looked at
	Head  []byte     // of the HTTP message
	Body  []byte     // the payload
}

// A Packed is a record that is compressed.
type Packed struct {
	bytes  []byte
	plain  int
	sum    uint32
	dict   *dictionary // nil: gzip
	sample sample      // to train a dictionary on; without bytes: none is wanted
}

// Len returns the bytes that it takes in a segment.
func (p *Packed) Len() int { return len(p.bytes) }

// bufferPool has where records are written before they are compressed, and where they are as
// they stand in a segment.
var bufferPool = sync.Pool{New: func() any { return new(buffers) }}

type buffers struct{ plain, packed []byte }

// maxBuffer is the size in bytes of buffers that is used again.
const maxBuffer = 1 << 21

func (r *buffers) release() {
	if cap(r.plain) <= maxBuffer && cap(r.packed) <= maxBuffer {
		bufferPool.Put(r)
	}
}

// Pack compresses a record. It may be called from any goroutine. The record has the digest
// of its payload, and none of the block: the frames have checksums.
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

// set takes a record's compressed form over.
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
	z, _ := gzip.NewWriterLevel(nil, gzip.BestSpeed) // the level is one that there is
	return z
}}

// repack compresses a record with the dictionary of the segment that it comes into: it was
// packed while another was in use.
func (p *Packed) repack(d *dictionary) error {
	plain, err := p.dict.dec.DecodeAll(p.bytes, nil)
	if err != nil {
		return err
	}
	p.dict = d
	p.set(p.compress(nil, plain))
	return nil
}
