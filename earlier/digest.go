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
	kindPath   = 'p' // of a page's URL or path and of its body, see pathKeys
)

func gateKey(d dedup.Digest) []byte { return append([]byte{kindGate}, d[:]...) }

// pathKeys returns the keys for a page's URL without its scheme and the dedup.DigestOfWords of its body, if that has words. If it
// has leastMoved of them another key leaves out the host: a site that moves keeps its paths, and "Loading..." at the path / is
// that of many hosts.
func pathKeys(address, text string, body dedup.Digest) (keys [][]byte) {
	if body.IsZero() {
		return nil
	}
	key := func(address string) []byte {
		d := dedup.DigestOf(append(body[:], address...))
		return append([]byte{kindPath}, d[:]...)
	}
	if _, rest, ok := strings.Cut(address, "://"); ok {
		address = rest
	}
	keys = append(keys, key(address))
	if host, path, ok := strings.Cut(address, "/"); ok && host != "" && len(strings.Fields(text)) >= leastMoved {
		keys = append(keys, key("/"+path))
	}
	return keys
}

// leastMoved is how many words a body has at least to be known on another host.
const leastMoved = 50

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
