package page

import (
	"encoding/binary"
	"fmt"

	"gatecrawl.example/gatecrawl/dedup"
	"gatecrawl.example/gatecrawl/frontier/weburl"
	"gatecrawl.example/gatecrawl/store/kv"
)

// growing is the Fill of tables whose keys only grow.
const growing = 0.95

// The tables of pages, by Key. The engine stores a checksum of each value.
var (
	TableRecords    = &kv.Table{Name: "pages", Checked: true, Fill: growing}      // of every settled URL, see EncodeRecord
	TableSignatures = &kv.Table{Name: "signatures", Checked: true, Fill: growing} // of kept pages, see EncodeSignature
	TableViews      = &kv.Table{Name: "views", Checked: true, Fill: growing}      // see PackView
	TableBodies     = &kv.Table{Name: "bodies", Checked: true, Fill: growing}     // the place of the bytes, a segment.Place
	TableOutlinks   = &kv.Table{Name: "outlinks", Checked: true, Fill: growing}   // of kept pages: the keys of the URLs that they link to, see PackOutlinks
)

// Tables returns the tables above, and those of likenesses.
func Tables() []*kv.Table {
	return []*kv.Table{TableRecords, TableSignatures, TableViews, TableBodies, TableOutlinks, tableElsewhere, tableElsewhereSignatures}
}

// Key returns the key of a page with a sequence number, Record.Seq: 8 bytes, big-endian.
func Key(seq uint64) []byte { return binary.BigEndian.AppendUint64(nil, seq) }

// Seq returns the sequence number of a key.
func Seq(key []byte) uint64 { return binary.BigEndian.Uint64(key) }

// Encoded returns the value of a page in TableRecords. It is an error if there is none.
func Encoded(r kv.Reader, seq uint64) ([]byte, error) {
	return recordRow(r, seq)
}

// Get reads the record of a page, with Seq and without Of, and the gate's verdict. It is an
// error if there is none.
func Get(r kv.Reader, seq uint64) (Record, dedup.Verdict, error) {
	b, err := Encoded(r, seq)
	if err != nil {
		return Record{}, dedup.Verdict{}, err
	}
	p, v, err := DecodeRecord(b)
	if err != nil {
		return p, v, fmt.Errorf("page %d: %w", seq, err)
	}
	p.Seq = seq
	return p, v, nil
}

// Title is Get for callers that need only the title, whether it is a document, and the gate's
// verdict.
func Title(r kv.Reader, seq uint64) (title string, document bool, v dedup.Verdict, err error) {
	b, err := Encoded(r, seq)
	if err != nil {
		return "", false, v, err
	}
	if title, document, v, err = titleIn(b); err != nil {
		err = fmt.Errorf("page %d: %w", seq, err)
	}
	return title, document, v, err
}

// Full reads the record of a page with Seq and Of.
func Full(r kv.Reader, seq uint64) (Record, error) {
	b, err := Encoded(r, seq)
	if err != nil {
		return Record{}, err
	}
	return FullOf(r, seq, b)
}

// FullOf is Full for callers that have the value of the table.
func FullOf(r kv.Reader, seq uint64, value []byte) (Record, error) {
	p, v, err := DecodeRecord(value)
	if err != nil {
		return p, fmt.Errorf("page %d: %w", seq, err)
	}
	p.Seq = seq
	if v.Copy() {
		if p.Of, err = URLOf(r, uint64(v.Of)); err != nil {
			return p, err
		}
	}
	return p, nil
}

// KeptOf returns the full record of the page that the given one is a copy of; nil if it is not a
// copy.
func KeptOf(r kv.Reader, seq uint64) (*Record, error) {
	_, v, err := Get(r, seq)
	if err != nil || !v.Copy() {
		return nil, err
	}
	p, err := Full(r, uint64(v.Of))
	return &p, err
}

// FailedFrom returns URLs whose last visit failed, starting at a sequence number. It reads a
// bounded number of records and returns where to continue; 0: it has read all.
func FailedFrom(r kv.Reader, from uint64) (keys []weburl.Key, next uint64, err error) {
	const most = 50_000
	read := 0
	for e, err := range r.Scan(TableRecords, Key(from), nil) {
		if err != nil {
			return nil, 0, err
		}
		if read++; read > most {
			return keys, Seq(e.Key), nil
		}
		p, _, err := DecodeRecord(e.Value)
		if err != nil {
			return nil, 0, fmt.Errorf("page %d: %w", Seq(e.Key), err)
		}
		if p.Verdict != VerdictFailed || p.ReplacedBy != 0 {
			continue
		}
		u, err := weburl.Parse(p.URL)
		if err != nil {
			return nil, 0, fmt.Errorf("page %d: %w", Seq(e.Key), err)
		}
		keys = append(keys, u.Key())
	}
	return keys, 0, nil
}

// URLOf returns the URL of a record. It costs less than Get.
func URLOf(r kv.Reader, seq uint64) (string, error) {
	b, err := Encoded(r, seq)
	if err != nil {
		return "", err
	}
	return urlIn(b)
}

// Put writes the record of a page.
func Put(tx kv.Tx, seq uint64, p *Record, v dedup.Verdict) {
	tx.Put(TableRecords, Key(seq), EncodeRecord(p, v))
}

// Signature reads the signature of a kept page. It is an error if there is none.
func Signature(r kv.Reader, seq uint64) (dedup.Signature, error) {
	sig, ok, err := FindSignature(r, seq)
	if err == nil && !ok {
		err = fmt.Errorf("page %d: no signature is kept", seq)
	}
	return sig, err
}

// FindSignature reads the signature of a page, if one is kept.
func FindSignature(r kv.Reader, seq uint64) (sig dedup.Signature, ok bool, err error) {
	b, err := signatureRow(r, seq)
	if err != nil || b == nil {
		return sig, false, err
	}
	if sig, err = DecodeSignature(b); err != nil {
		return sig, false, fmt.Errorf("page %d: %w", seq, err)
	}
	return sig, true, nil
}

// BodyDigest returns the first 8 bytes of the digest of a document's body, from the signature of
// the page itself, which may have been kept before it was seen to be a near copy, or of the kept page whose bytes or body it has; 0: not known.
func BodyDigest(r kv.Reader, seq uint64, v dedup.Verdict) (uint64, error) {
	if v.Copy() && v.Level != dedup.LevelNear {
		seq = uint64(v.Of)
	}
	b, err := signatureRow(r, seq)
	if err != nil || b == nil {
		return 0, err
	}
	sig, err := DecodeSignature(b)
	if err != nil {
		return 0, fmt.Errorf("page %d: %w", seq, err)
	}
	return binary.BigEndian.Uint64(sig.Body[:]), nil
}

// LayoutOf returns the layout hash of a document that was kept before it was seen to be a copy, or has the bytes of its kept page; 0: not known.
func LayoutOf(r kv.Reader, seq uint64, v dedup.Verdict) (uint64, error) {
	if v.Copy() && v.Level == dedup.LevelBytes {
		seq = uint64(v.Of)
	}
	sig, _, err := FindSignature(r, seq)
	return sig.Layout, err
}
