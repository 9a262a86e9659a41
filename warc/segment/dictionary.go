package segment

import (
	"encoding/binary"
	"fmt"
	"strings"

	"github.com/klauspost/compress/zstd"

	"gatecrawl.example/gatecrawl/durable"
)

const (
	// sampleBytes is how much of a record a dictionary is trained on. A dictionary has as much
	// of some of them: of no more than perHost of one host, and of one in pieceEvery, which is
	// 192 kB of 64 and is at the head of every later segment. What the pages of a site have in
	// common is in the head of each, so the first records of each host come first.
	sampleBytes = 12 << 10
	perHost     = 8
	pieceEvery  = 4

	// window is how far back an encoder looks: of a longer record what is further away is not found.
	// zstd takes 4 MB as its fastest level has it, which each of two encoders would hold for ever.
	window = 1 << 20

	// dictMagic starts the skippable frame with a file's dictionary (IIPC, Zstandard
	// Compression for WARC Files 1.0).
	dictMagic = 0x184D2A5D
)

// A dictionary is what the records of a segment are compressed with; the zero one means none.
type dictionary struct {
	id    uint32 // 0: none
	bytes []byte
	enc   *zstd.Encoder
	dec   *zstd.Decoder
}

// newDictionary returns the coders of a dictionary; of b nil, those without one.
func newDictionary(b []byte) (*dictionary, error) {
	d := &dictionary{bytes: b}
	enc := []zstd.EOption{zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderCRC(true), zstd.WithWindowSize(window)}
	dec := []zstd.DOption{zstd.WithDecoderMaxMemory(maxRecord), zstd.WithDecoderConcurrency(0), zstd.IgnoreChecksum(true)} // raw has compared that of the Place
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

// A sample is the start of a record.
type sample struct {
	host  string
	bytes []byte
}

// hostIn returns the host in a URL.
func hostIn(url string) string {
	if _, rest, ok := strings.Cut(url, "://"); ok {
		url = rest
	}
	host, _, _ := strings.Cut(url, "/")
	return host
}

// pieces returns what of the samples is in a dictionary: the first of each host, then the second of
// each, and so on.
func pieces(samples []sample) (all []byte) {
	turn := make([]int, len(samples)) // how many of its host are before it
	of := make(map[string]int)
	for i, s := range samples {
		turn[i] = of[s.host]
		of[s.host]++
	}
	n := 0
	for t := range perHost {
		for i, s := range samples {
			if turn[i] == t && n*pieceEvery < len(samples) {
				all = append(all, s.bytes...)
				n++
			}
		}
	}
	return all
}

// train makes a dictionary from samples; nil: they have too little in common. It has some of
// them as they are, and codes that are right for all: that takes some milliseconds for 64
// samples and is as good as a search for what the samples share
// (github.com/klauspost/compress/dict), which takes from .3 to 2 s.
func train(samples []sample) *dictionary {
	pieces := pieces(samples)
	contents := make([][]byte, len(samples))
	for i := range samples {
		contents[i] = samples[i].bytes
	}
	b, err := zstd.BuildDict(zstd.BuildDictOptions{
		ID:       1<<15 + durable.Sum(pieces)%(1<<31-1<<15), // what RFC 8878, section 5, leaves to everyone
		Contents: contents, History: pieces,
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
