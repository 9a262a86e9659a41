package check

import (
	"bytes"

	"gatecrawl.example/gatecrawl/frontier/queue"
	"gatecrawl.example/gatecrawl/frontier/weburl"
	"gatecrawl.example/gatecrawl/store/kv"
)

// BadHost reports whether a row of TableHosts cannot be read or has a wrong key. The record can
// be rebuilt from the URLs.
func BadHost(key, value []byte) bool {
	if len(key) != len(weburl.HostKey{}) {
		return true
	}
	h, err := queue.DecodeHost(value)
	return err != nil || weburl.HostKey(key) != weburl.HostKeyOf(h.Name)
}

// BadURL reports whether a row of TableURLs cannot be read or has a wrong key.
func BadURL(key, value []byte) bool {
	rec, err := queue.Decode(value)
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
	if len(key) != len(queue.EntryKey(weburl.HostKey{}, 0, 0)) || len(value) != 10 {
		return true
	}
	rec, ok, err := queue.Get(r, queue.KeyOf(key, value))
	if err != nil || !ok || rec.State != queue.Queued {
		return true
	}
	return !bytes.Equal(key, queue.EntryKey(weburl.HostKey(key[:len(weburl.HostKey{})]), rec.Score, rec.Order))
}

// StrayLater reports whether a row of TableLater is not that of a URL that waits.
func StrayLater(r kv.Reader, key []byte) bool {
	rec, ok, err := queue.Get(r, weburl.Key(key[8:]))
	return err != nil || !ok || rec.State != queue.Later || rec.NotBefore != queue.LaterTime(key)
}

// Misplaced reports whether a URL lacks what its state asks for: then it can be queued
// again.
func Misplaced(r kv.Reader, k weburl.Key, rec *queue.Record) (bool, error) {
	switch rec.State {
	case queue.Queued:
		ok, err := kv.Has(r, queue.TableEntries, queue.EntryKey(k.Host(), rec.Score, rec.Order))
		return !ok, err
	case queue.Later:
		ok, err := kv.Has(r, queue.TableLater, queue.LaterKey(rec.NotBefore, k))
		return !ok, err
	case queue.Done:
		return rec.Page == 0 && rec.Flags&queue.Requisite == 0, nil
	case queue.Refused:
		return false, nil
	}
	return true, nil
}
