package linkgraph

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	"github.com/klauspost/compress/s2"

	"gatecrawl.example/gatecrawl/durable"
	"gatecrawl.example/gatecrawl/frontier/weburl"
	"gatecrawl.example/gatecrawl/store/kv/row"
)

// A Target names the URL that a link leads to: the first 13 bytes of its key.
type Target [13]byte

// TargetOf returns the name of a URL.
func TargetOf(k weburl.Key) Target { return Target(k[:13]) }

// Host returns the key of the URL's host.
func (t Target) Host() weburl.HostKey { return weburl.HostKey(t[:6]) }

// A Link is a link of a page.
type Link struct {
	Target   Target
	Text     string // the link's words; "" if they were not asked for
	NoFollow bool   // rel=nofollow
	Body     bool   // it is in the page's body, not in what its site repeats
}

// An entry, which has a page's links in a file, is
//
//	4 bytes   length of what follows the checksum
//	4 bytes   CRC-32C of what follows
//	varint    number of the page
//	varint    links, hosts
//	6 bytes   of each host: its key
//	of each link: varint host<<2 | body<<1 | nofollow, 7 bytes of the URL's key
//	one S2 block: of each link varint length, words
//
// In integers of fixed length the highest byte comes first.
const entryHead = 8

// maxEntry bounds the length of an entry: a damaged one may claim any.
const maxEntry = 64 << 20

// maxTexts bounds the memory for the words of a page's links: a damaged entry may claim any.
const maxTexts = 64 << 20

var errEntry = errors.New("the entry is not as it was written")

const (
	flagNoFollow = 1 << iota
	flagBody
	flagBits = 2
)

// appendEntry appends a page's links.
func appendEntry(b []byte, seq uint64, links []Link) []byte {
	start := len(b)
	b = append(b, make([]byte, entryHead)...)
	b = binary.AppendUvarint(b, seq)
	b = binary.AppendUvarint(b, uint64(len(links)))
	var hosts hostList
	texts := 0
	for i := range links {
		hosts.numberOf(links[i].Target.Host())
		texts += len(links[i].Text) + binary.MaxVarintLen16
	}
	b = binary.AppendUvarint(b, uint64(len(hosts.keys)))
	for _, h := range hosts.keys {
		b = append(b, h[:]...)
	}
	text := make([]byte, 0, texts)
	for i := range links {
		l := &links[i]
		v := uint64(hosts.numberOf(l.Target.Host())) << flagBits
		if l.NoFollow {
			v |= flagNoFollow
		}
		if l.Body {
			v |= flagBody
		}
		b = binary.AppendUvarint(b, v)
		b = append(b, l.Target[6:]...)
		text = binary.AppendUvarint(text, uint64(len(l.Text)))
		text = append(text, l.Text...)
	}
	b = append(b, s2.Encode(nil, text)...)
	body := b[start+entryHead:]
	binary.BigEndian.PutUint32(b[start:], uint32(len(body)))
	binary.BigEndian.PutUint32(b[start+4:], durable.Sum(body))
	return b
}

// A hostList numbers hosts in the order in which they are met.
type hostList struct {
	keys []weburl.HostKey
	at   map[weburl.HostKey]int // nil: there are few
	last int                    // number of the host that was asked for last: most links have the host of the one before
}

// fewHosts is how many hosts are compared one by one.
const fewHosts = 16

func (l *hostList) numberOf(h weburl.HostKey) int {
	if l.last < len(l.keys) && l.keys[l.last] == h {
		return l.last
	}
	n, ok := 0, false
	if l.at != nil {
		n, ok = l.at[h]
	} else {
		n = slices.Index(l.keys, h)
		ok = n >= 0
	}
	if !ok {
		n = len(l.keys)
		if l.keys = append(l.keys, h); len(l.keys) == fewHosts {
			l.at = make(map[weburl.HostKey]int)
			for i, k := range l.keys {
				l.at[k] = i
			}
		}
		if l.at != nil {
			l.at[h] = n
		}
	}
	l.last = n
	return n
}

// readEntry reads an entry, which is all of b, and appends its links to room.
func readEntry(b []byte, texts bool, room []Link) (seq uint64, links []Link, err error) {
	if len(b) < entryHead || int(binary.BigEndian.Uint32(b)) != len(b)-entryHead || binary.BigEndian.Uint32(b[4:]) != durable.Sum(b[entryHead:]) {
		return 0, nil, errEntry
	}
	d := row.Decoder{B: b[entryHead:]}
	seq = d.Uint()
	n, hosts := d.Uint(), d.Uint()
	if d.Err != nil || n > uint64(len(d.B))/8 || hosts > n {
		return 0, nil, errEntry
	}
	keys := d.Bytes(6 * int(hosts))
	if d.Err != nil {
		return 0, nil, errEntry
	}
	links = slices.Grow(room, int(n))[:len(room)+int(n)]
	for i := range links[len(room):] {
		l := &links[len(room)+i]
		v := d.Uint()
		if v>>flagBits >= hosts {
			return 0, nil, errEntry
		}
		copy(l.Target[:], keys[6*(v>>flagBits):][:6])
		copy(l.Target[6:], d.Bytes(7))
		l.Text, l.NoFollow, l.Body = "", v&flagNoFollow != 0, v&flagBody != 0
	}
	if d.Err != nil {
		return 0, nil, errEntry
	}
	if !texts {
		return seq, links, nil
	}
	if size, err := s2.DecodedLen(d.B); err != nil || size > maxTexts {
		return 0, nil, errEntry
	}
	words, err := s2.Decode(nil, d.B)
	if err != nil {
		return 0, nil, fmt.Errorf("%w: %w", errEntry, err)
	}
	d.B = words
	for i := range links[len(room):] {
		size := d.Uint()
		if size > uint64(len(d.B)) {
			return 0, nil, errEntry
		}
		links[len(room)+i].Text = string(d.Bytes(int(size)))
	}
	return seq, links, nil
}
