package dedup

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
)

// DigestOf returns the digest of b.
func DigestOf(b []byte) Digest {
	h := sha256.Sum256(b)
	return Digest(h[:])
}

// String returns the digest in hexadecimal.
func (d Digest) String() string { return hex.EncodeToString(d[:]) }

// ParseDigest reads what String returns; nothing is the zero Digest.
func ParseDigest(text string) (d Digest, err error) {
	if text == "" {
		return d, nil
	}
	b, err := hex.DecodeString(text)
	if err != nil || len(b) != len(d) {
		return d, fmt.Errorf("%q is not a digest: want %d hexadecimal digits", text, hex.EncodedLen(len(d)))
	}
	return Digest(b), nil
}

// IsZero reports whether d is the zero Digest, which stands for none.
func (d Digest) IsZero() bool { return d == Digest{} }

// head returns the part of d that the digest tables hold.
func (d Digest) head() uint64 { return binary.BigEndian.Uint64(d[:8]) }
