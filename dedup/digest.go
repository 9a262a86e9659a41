package dedup

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
)

// DigestOf returns the digest of b.
func DigestOf(b []byte) Digest {
	h := sha256.Sum256(b)
	return Digest(h[:])
}

// String returns the digest in hexadecimal.
func (d Digest) String() string { return hex.EncodeToString(d[:]) }

// IsZero reports whether d is the zero Digest, which stands for none.
func (d Digest) IsZero() bool { return d == Digest{} }

// head returns the part of d that the digest tables hold.
func (d Digest) head() uint64 { return binary.BigEndian.Uint64(d[:8]) }
