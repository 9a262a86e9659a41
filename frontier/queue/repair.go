package queue

import (
	"bytes"

	"gatecrawl.example/gatecrawl/frontier/weburl"
	"gatecrawl.example/gatecrawl/store/kv"
)

// BadHost reports whether a row of TableHosts cannot be read or stands at a wrong key. The
// record can be made anew from the URLs.
func BadHost(key, value []byte) bool {
	if len(key) != len(weburl.HostKey{}) {
		return true
	}
	h, err := DecodeHost(value)
	return err != nil || weburl.HostKey(key) != weburl.HostKeyOf(h.Name)
}

// BadURL reports whether a row of TableURLs cannot be read or stands at a wrong key.
func BadURL(key, value []byte) bool {
	rec, err := Decode(value)
	if err != nil || len(key) != len(weburl.Key{}) {
		return true
	}
	u, err := weburl.Parse(rec.URL)
	return err != nil || rec.Key(u) != weburl.Key(key) || u.String() != rec.URL
}

// longestURL bounds the search for a URL in a record, in bytes.
const longestURL = 4096

// FindURL looks for the URL of a bad row of TableURLs: the key is a hash of the URL, so a
// URL with that key which is still found in the record is the right one.
func FindURL(key, value []byte) (weburl.URL, bool) {
	if len(key) != len(weburl.Key{}) {
		return weburl.URL{}, false
	}
	for at := range value {
		if !bytes.HasPrefix(value[at:], []byte("http")) {
			continue
		}
		for end := at + len("http://x"); end <= min(len(value), at+longestURL); end++ {
			if u, err := weburl.Parse(string(value[at:end])); err == nil && u.Key() == weburl.Key(key) {
				return u, true
			}
		}
	}
	return weburl.URL{}, false
}

// StrayEntry reports whether a row of TableEntries is not that of a queued URL.
func StrayEntry(r kv.Reader, key, value []byte) bool {
	if len(key) != len(EntryKey(weburl.HostKey{}, 0, 0)) || len(value) != 10 {
		return true
	}
	rec, ok, err := Get(r, KeyOf(key, value))
	if err != nil || !ok || rec.State != Queued {
		return true
	}
	return !bytes.Equal(key, EntryKey(weburl.HostKey(hostIn(key)), rec.Score, rec.Order))
}

// StrayLater reports whether a row of TableLater is not that of a URL that waits.
func StrayLater(r kv.Reader, key []byte) bool {
	rec, ok, err := Get(r, weburl.Key(key[8:]))
	return err != nil || !ok || rec.State != Later || rec.NotBefore != LaterTime(key)
}

// BadPayments reports whether a row of TableCash cannot be read or stands at a wrong key.
func BadPayments(key, value []byte) bool {
	paid, err := decodePayments(value)
	return err != nil || !bytes.Equal(key, seqKey(paid[0].page))
}

// Misplaced reports whether a URL lacks what its state asks for: then it can be queued
// again.
func Misplaced(r kv.Reader, k weburl.Key, rec *Record) (bool, error) {
	switch rec.State {
	case Queued:
		ok, err := kv.Has(r, TableEntries, EntryKey(k.Host(), rec.Score, rec.Order))
		return !ok, err
	case Later:
		ok, err := kv.Has(r, TableLater, LaterKey(rec.NotBefore, k))
		return !ok, err
	case Done:
		return rec.Page == 0 && rec.Flags&Requisite == 0, nil
	case Refused:
		return false, nil
	}
	return true, nil
}
