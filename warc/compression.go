package warc

import "fmt"

// A Compression is how the records of a file are compressed, each for itself.
type Compression string

// The compressions.
const (
	Zstd Compression = "zstd"
	Gzip Compression = "gzip" // for programs that have no zstd
)

// UnmarshalText reads the name of a compression.
func (c *Compression) UnmarshalText(b []byte) error {
	switch v := Compression(b); v {
	case Zstd, Gzip:
		*c = v
		return nil
	}
	return fmt.Errorf("%q: want zstd or gzip", b)
}

// Ending is what the names of the files end in.
func (c Compression) Ending() string {
	if c == Gzip {
		return ".warc.gz"
	}
	return ".warc.zst"
}
