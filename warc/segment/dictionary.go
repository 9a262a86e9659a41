package segment

import (
	"encoding/binary"
	"fmt"
	"strings"

	"github.com/klauspost/compress/zstd"

	"gatecrawl.example/gatecrawl/durable"
)

const (
	// sampleBytes is how much of each record a dictionary is trained on. The dictionary itself has
	// that much of only some of them: of at most perHost records of one host, and of one record in
	// pieceEvery. That is 192 kB for 64 records, and is stored at the start of every later segment.
	// The common parts of a site's pages are in each of them, so the first record of each host
	// comes first.
	sampleBytes = 12 << 10
	perHost     = 8
	pieceEvery  = 4

	// window is how far back an encoder looks for repetitions. The default of zstd's fastest level
	// is 4 MB, which each of two encoders would hold as long as it exists.
	window = 1 << 20

	// dictMagic is the start of the skippable frame with a file's dictionary (IIPC, Zstandard
	// Compression for WARC Files 1.0).
	dictMagic = 0x184D2A5D
)

// A dictionary is one with which the records of a segment are compressed; the zero one means none.
type dictionary struct {
	id    uint32 // 0: there is no dictionary
	bytes []byte
	enc   *zstd.Encoder
	dec   *zstd.Decoder
}

// newDictionary returns a dictionary with its coders; if b is nil, coders without a dictionary.
func newDictionary(b []byte) (*dictionary, error) {
	d := &dictionary{bytes: b}
	enc := []zstd.EOption{zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderCRC(true), zstd.WithWindowSize(window)}
	dec := []zstd.DOption{zstd.WithDecoderMaxMemory(maxRecord), zstd.WithDecoderConcurrency(0), zstd.IgnoreChecksum(true)} // raw has checked the checksum of the Place
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

// close frees the coders' memory.
func (d *dictionary) close() {
	d.enc.Close()
	d.dec.Close()
}

// frame returns the skippable frame with the dictionary.
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

// pieces returns the parts of the samples that a dictionary has: the first of each host, then the
// second of each, and so on.
func pieces(samples []sample) (all []byte) {
	turn := make([]int, len(samples)) // how many samples of the same host are before it
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

// train makes a dictionary from samples; nil if they have too little in common. The dictionary has
// some of the samples as they are, and codes that suit all of them. That takes some milliseconds
// for 64 samples, and is as good as a search for what the samples have in common
// (github.com/klauspost/compress/dict), which takes .3 to 2 s.
func train(samples []sample) *dictionary {
	pieces := pieces(samples)
	contents := make([][]byte, len(samples))
	for i := range samples {
		contents[i] = samples[i].bytes
	}
	b, err := zstd.BuildDict(zstd.BuildDictOptions{
		ID:       1<<15 + durable.Sum(pieces)%(1<<31-1<<15), // the range that RFC 8878, section 5, leaves free
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
