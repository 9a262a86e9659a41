package warc

import (
	"crypto/sha1"
	"encoding/base32"
)

// DigestOf returns the digest of b as archives write it: "sha1:" and 32
// characters of base 32.
func DigestOf(b []byte) string {
	h := sha1.Sum(b)
	return "sha1:" + base32.StdEncoding.EncodeToString(h[:])
}
