package warc

import (
	"crypto/md5"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/base32"
	"encoding/hex"
	"errors"
	"hash"
	"io"
	"strings"
)

// ErrDigest is wrapped by the error of a record whose content does not have the digest that its header names.
var ErrDigest = errors.New("its content does not have its WARC-Block-Digest")

// Verify reads the rest of the content, and reports damage that shows only behind it. Decompression gives all
// bytes of a damaged member before it reaches the checksum. So a caller that keeps what it has read calls Verify
// first. If the record ends a member that has a checksum, that decides: some programs wrote wrong digests. Otherwise
// WARC-Block-Digest does, if the record has one of a known kind.
//
// The error is a *RecordError if the content is damaged. Next continues after it, and does not report it again.
func (rec *Record) Verify() error {
	if _, err := io.Copy(io.Discard, rec); err != nil {
		return err
	}
	r := rec.reader
	matches := rec.digest != "" && rec.hasDigest()
	b, starts, err := r.behind()
	switch {
	case err != nil && matches && (rec.Place.Inside > 0 || errors.Is(err, io.ErrUnexpectedEOF)):
		return nil // another record of the member is damaged, or the file is cut off in the checksum
	case err != nil:
		return rec.damage(resyncMember, err)
	case len(b) == 0 && r.members.hasChecksum(), matches:
		return nil
	case rec.digest != "" && len(b) > 0 && !starts:
		r.from = rec.start
		return rec.damage(resyncRecord, ErrDigest)
	case rec.digest != "":
		return rec.damage(resyncNone, ErrDigest)
	case len(b) == 0 || starts:
		return nil
	}
	return r.verifyRest(rec)
}

// behind goes to what follows a record's content in the open member. See atRecord.
func (r *Reader) behind() (b []byte, starts bool, err error) {
	if err := r.skipLineEnds(); err != nil && err != io.EOF {
		return nil, false, err
	}
	if b, starts, err = r.atRecord(); err == io.EOF {
		err = nil
	}
	return b, starts, err
}

// damage is the record's error from then on.
func (rec *Record) damage(l resync, err error) error {
	rec.err = rec.reader.damage(rec.Place, l, err)
	return rec.err
}

// verifyRest reads on in the open member, in which no other record follows rec, to its checksum, and goes back. A
// member with more than minRewind bytes left is not read to its end.
func (r *Reader) verifyRest(rec *Record) error {
	if r.members.codec == codecNone {
		return nil
	}
	from := r.place()
	_, err := io.CopyN(io.Discard, r.in, minRewind)
	if err != nil && err != io.EOF {
		return rec.damage(resyncMember, err)
	}
	if r.text.rewind(from) {
		r.in.Reset(r.text)
	}
	return nil
}

// newDigest returns the hash of a digest as archives write it, "sha1:" and so on, or nil if it cannot be
// compared.
func newDigest(digest string) hash.Hash {
	kind, value, _ := strings.Cut(digest, ":")
	var h hash.Hash
	switch strings.ReplaceAll(strings.ToLower(kind), "-", "") {
	case "md5":
		h = md5.New()
	case "sha1":
		h = sha1.New()
	case "sha256":
		h = sha256.New()
	case "sha512":
		h = sha512.New()
	default:
		return nil
	}
	switch len(strings.TrimRight(value, "=")) {
	case hex.EncodedLen(h.Size()), base32.StdEncoding.WithPadding(base32.NoPadding).EncodedLen(h.Size()):
		return h
	}
	return nil
}

// hasDigest reports whether the content that was read has the record's digest.
func (rec *Record) hasDigest() bool {
	_, value, _ := strings.Cut(rec.digest, ":")
	value = strings.TrimRight(value, "=")
	sum := rec.sum.Sum(nil)
	return strings.EqualFold(value, hex.EncodeToString(sum)) ||
		strings.EqualFold(value, base32.StdEncoding.WithPadding(base32.NoPadding).EncodeToString(sum))
}
