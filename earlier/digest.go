package earlier

import (
	"crypto/sha1"
	"crypto/sha256"
	"encoding/base32"
	"encoding/hex"
	"strings"

	"gatecrawl.example/gatecrawl/dedup"
)

// The kinds of digests, each the first byte of a key of tableDigests.
const (
	kindGate   = 'g' // dedup.Digest
	kindSHA1   = '1' // the usual one in WARC, CDX and CDXJ
	kindSHA256 = '2'
	kindPath   = 'p' // of a page's path and body, see pathKey
)

func gateKey(d dedup.Digest) []byte { return append([]byte{kindGate}, d[:]...) }

// pathKey returns the key for a page's path and query and the dedup.DigestOfWords of its body; nil if that has no words. The
// host is left out: a site that moves keeps its paths.
func pathKey(address string, body dedup.Digest) []byte {
	if body.IsZero() {
		return nil
	}
	if _, rest, ok := strings.Cut(address, "://"); ok {
		_, address, _ = strings.Cut(rest, "/")
	}
	d := dedup.DigestOf(append(body[:], address...))
	return append([]byte{kindPath}, d[:]...)
}

// payloadKey returns the key for the digest of a payload as indexes write it: an optional algorithm
// and a colon, and then base32 or hexadecimal. It returns nil for another algorithm, and for the
// digest of no bytes, which identifies nothing.
func payloadKey(text string) []byte {
	algorithm, value, named := strings.Cut(text, ":")
	if !named {
		algorithm, value = "", text
	}
	algorithm = strings.ToLower(strings.ReplaceAll(algorithm, "-", ""))
	value = strings.TrimRight(value, "=")
	for _, k := range []struct {
		name string
		kind byte
		size int
		none []byte
	}{
		{"sha1", kindSHA1, sha1.Size, emptySHA1[:]},
		{"sha256", kindSHA256, sha256.Size, emptySHA256[:]},
	} {
		if algorithm != "" && algorithm != k.name {
			continue
		}
		var b []byte
		var err error
		switch len(value) {
		case hex.EncodedLen(k.size):
			b, err = hex.DecodeString(value)
		case base32.StdEncoding.WithPadding(base32.NoPadding).EncodedLen(k.size):
			b, err = base32.StdEncoding.WithPadding(base32.NoPadding).DecodeString(strings.ToUpper(value))
		default:
			continue
		}
		if err != nil || string(b) == string(k.none) {
			return nil
		}
		return append([]byte{k.kind}, b...)
	}
	return nil
}

var (
	emptySHA1   = sha1.Sum(nil)
	emptySHA256 = sha256.Sum256(nil)
)

// keysOf returns the keys under which a payload may be known.
func keysOf(body []byte, d dedup.Digest) [][]byte {
	one, two := sha1.Sum(body), sha256.Sum256(body)
	return [][]byte{gateKey(d), append([]byte{kindSHA1}, one[:]...), append([]byte{kindSHA256}, two[:]...)}
}
