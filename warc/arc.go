package warc

import (
	"bytes"
	"regexp"
	"strings"
	"sync"
	"time"
)

// arcMagic starts the first record of an ARC file.
const arcMagic = "filedesc://"

// maxARCLine bounds the line in which an ARC file describes a record, in bytes.
const maxARCLine = 16 << 10

// arcLine is that line: URL, IP address, time, media type and length; version 2 has a status,
// a checksum, a location, an offset and a file name between type and length ("Arc File Format",
// Burner and Kahle, Internet Archive 1996). A URL may have spaces, as some writers left them. Its
// scheme is one that crawlers of the time had, so that the rest of a line is not taken for one.
var arcLine = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^((?i:https?|ftp|gopher|nntp|news|dns|whois|metadata|filedesc):.*?) (\S+) (\d{12}(?:\d\d)?) (\S*)(?: .*)? (\d+)$`)
})

// arcHead returns the fields that a WARC file would have for a record, and false for a line
// that describes none.
func arcHead(line string) (Fields, bool) {
	m := arcLine().FindStringSubmatch(line)
	if m == nil {
		return nil, false
	}
	kind := Response
	if strings.HasPrefix(m[1], arcMagic) {
		kind = Info
	}
	f := Fields{{"WARC-Type", string(kind)}, {"WARC-Target-URI", m[1]}, {"WARC-IP-Address", m[2]}}
	if t, err := time.Parse("20060102150405"[:len(m[3])], m[3]); err == nil {
		f = append(f, Field{"WARC-Date", t.Format(time.RFC3339)})
	}
	return append(f, Field{"Content-Type", m[4]}, Field{"Content-Length", m[5]}), true
}

// isARCRecord reports whether b starts with the line of a record of an ARC file.
func isARCRecord(b []byte) bool {
	line, _, ok := bytes.Cut(b, []byte("\n"))
	return ok && arcLine().Match(bytes.TrimRight(line, "\r"))
}

// IsArchive reports whether a file whose text, without compression, starts with head is a WARC
// or an ARC file.
func IsArchive(head []byte) bool {
	head = bytes.TrimLeft(head, "\ufeff \t\r\n")
	return isMagic(head) || bytes.HasPrefix(head, []byte(arcMagic))
}

// IsArchiveName reports whether a file's name is that of a WARC or an ARC file, compressed or not.
func IsArchiveName(name string) bool {
	name = strings.ToLower(name)
	name = strings.TrimSuffix(strings.TrimSuffix(name, ".gz"), ".zst")
	return strings.HasSuffix(name, ".warc") || strings.HasSuffix(name, ".arc")
}
