package segment

import (
	"encoding/binary"
	"fmt"

	"github.com/klauspost/compress/zstd"

	"gatecrawl.example/gatecrawl/durable"
)

const (
	// sampleBytes is how much of a record a dictionary is trained on.
	sampleBytes = 12 << 10

	// Of one record in pieceEvery of those that a dictionary is trained on it has the
	// first pieceBytes: of 64 records 64 kB, which every later segment has at its head.
	pieceEvery = 4
	pieceBytes = 4 << 10

	// dictMagic begins the skippable frame with a file's dictionary (IIPC, Zstandard
	// Compression for WARC Files 1.0).
	dictMagic = 0x184D2A5D
)

// A dictionary is what the records of a segment are compressed with; the zero one is
// none.
type dictionary struct {
	id    uint32 // 0: none
	bytes []byte
	enc   *zstd.Encoder
	dec   *zstd.Decoder
}

// newDictionary returns the coders of a dictionary; of b nil, those without one.
func newDictionary(b []byte) (*dictionary, error) {
	d := &dictionary{bytes: b}
	enc := []zstd.EOption{zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderCRC(true)}
	dec := []zstd.DOption{zstd.WithDecoderMaxMemory(maxRecord), zstd.WithDecoderConcurrency(0)}
	if b != nil {
		i, err := zstd.InspectDictionary(b)
		if err != nil {
			return nil, fmt.Errorf("zstd dictionary: %w", err)
		}
		d.id = i.ID()
		enc, dec = append(enc, zstd.WithEncoderDict(b)), append(dec, zstd.WithDecoderDicts(b))
	}
	var err error
	if d.enc, err = zstd.NewWriter(nil, enc...); err != nil {
		return nil, fmt.Errorf("zstd: %w", err)
	}
	if d.dec, err = zstd.NewReader(nil, dec...); err != nil {
		return nil, fmt.Errorf("zstd: %w", err)
	}
	return d, nil
}

// close lets go of the coders' memory.
func (d *dictionary) close() {
	d.enc.Close()
	d.dec.Close()
}

// frame is the skippable frame with the dictionary.
func (d *dictionary) frame() []byte {
	b := binary.LittleEndian.AppendUint32(nil, dictMagic)
	b = binary.LittleEndian.AppendUint32(b, uint32(len(d.bytes)))
	return append(b, d.bytes...)
}

// train makes a dictionary from samples; nil: they have nothing in common that one could
// be made of. It has the first bytes of some of them as they are, and codes that are right
// for all: that takes 4 ms for 64 samples and is as good as a search for what the samples
// share (github.com/klauspost/compress/dict), which takes from .3 to 2 s.
func train(samples [][]byte) *dictionary {
	var pieces []byte
	for i := 0; i < len(samples); i += pieceEvery {
		pieces = append(pieces, samples[i][:min(len(samples[i]), pieceBytes)]...)
	}
	b, err := zstd.BuildDict(zstd.BuildDictOptions{
		ID:       1<<15 + durable.Sum(pieces)%(1<<31-1<<15), // what RFC 8878, section 5, leaves to everyone
		Contents: samples, History: pieces,
		Offsets: [3]int{1, 4, 8}, // as in RFC 8878, section 3.1.1.5
		Level:   zstd.SpeedFastest, CompatV155: true,
	})
	if err != nil {
		return nil
	}
	d, err := newDictionary(b)
	if err != nil {
		return nil
	}
	return d
}
