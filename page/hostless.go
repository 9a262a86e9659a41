package page

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"strings"
)

// HostlessOf returns the first 8 bytes of a digest of a page's bytes without the name of its own
// host; 0: they do not have it. It is the same for two sites with the same pages that link to
// themselves by their full URLs. Bodies say less: which blocks are the body depends on what was
// known of the page's site when it was read.
func HostlessOf(body []byte, host string) uint64 {
	name := []byte(strings.TrimPrefix(host, "www."))
	if len(name) == 0 || !contains(body, name) {
		return 0
	}
	h := sha256.New()
	for part := range bytes.SplitSeq(body, name) {
		h.Write(part)
		h.Write([]byte{0})
	}
	return binary.BigEndian.Uint64(h.Sum(nil))
}

// contains is bytes.Contains for a name that most pages lack: it looks for the byte of the name that is rarest in pages.
func contains(body, name []byte) bool {
	rare := 0
	for i, c := range name {
		if rarity(c) > rarity(name[rare]) {
			rare = i
		}
	}
	for at := rare; ; at++ {
		i := bytes.IndexByte(body[min(at, len(body)):], name[rare])
		if i < 0 {
			return false
		}
		if at += i; bytes.HasPrefix(body[at-rare:], name) {
			return true
		}
	}
}

// rarity returns how rare a letter is in pages; 0 for other bytes.
func rarity(c byte) int { return strings.IndexByte("-etasnoirlcdhpmu.gfby0123456789wvkxzjq", c) }
