package warc

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"slices"
	"testing"
)

// verified returns the numbers of the drafts whose payload Verify lets pass, with the bodies that they have, and how
// often damage was reported.
func verified(t *testing.T, file []byte, ds []Draft) (passed []int, damage int) {
	t.Helper()
	w, err := NewReader(bytes.NewReader(file), "f", DefaultOptions())
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	for {
		rec, err := w.Next()
		if err == io.EOF {
			return passed, damage
		}
		if err != nil {
			damage++
			continue
		}
		p, _ := rec.Payload(1 << 20)
		if err := rec.Verify(); err != nil {
			damage++
			continue
		}
		i := slices.IndexFunc(ds, func(d Draft) bool { return d.URL == rec.URL() && d.Type == rec.Type })
		if i < 0 {
			t.Errorf("%s passed", rec.URL())
			continue
		}
		if body, ok := ds[i].payload(); ok && !bytes.Equal(p.Body, body) {
			t.Errorf("record %d passed with %d bytes that are not its own", i, len(p.Body))
		}
		passed = append(passed, i)
	}
}

// zippedStored is a file of gzip members that store their parts without compression, so that a changed byte
// changes one byte of the content and nothing else.
func zippedStored(parts [][]byte) []byte {
	var b bytes.Buffer
	for _, p := range parts {
		z, _ := gzip.NewWriterLevel(&b, gzip.NoCompression) // it is a level
		z.Write(p)
		z.Close()
	}
	return b.Bytes()
}

// TestVerifyFindsDamageBehindTheContent: Payload gave the damaged text of a member, and Next reported the checksum
// only after that.
func TestVerifyFindsDamageBehindTheContent(t *testing.T) {
	ds := drafts(8)
	plain, starts := written(t, "", ds)
	parts := records(plain, starts)
	bare := slices.Clone(parts)
	wrong := slices.Clone(parts)
	for i, p := range parts {
		bare[i] = bytes.Replace(p, []byte("WARC-Block-Digest: "), []byte("X: "), 1)
		wrong[i] = bytes.Replace(p, []byte("WARC-Block-Digest: sha1:"), []byte("WARC-Block-Digest: sha1:A"), 1)
		at := bytes.Index(wrong[i], []byte("sha1:A")) + 6
		wrong[i] = slices.Delete(wrong[i], at, at+1)
	}
	all := []int{0, 1, 2, 3, 4, 5, 6, 7, 8}
	without4 := []int{0, 1, 2, 3, 5, 6, 7, 8}
	flip := func(file []byte, of []byte) []byte {
		i := bytes.Index(file, of[len(of)-300:len(of)-200])
		if i < 0 {
			t.Fatal("the bytes to change are not in the file")
		}
		c := slices.Clone(file)
		c[i+50] ^= 1
		return c
	}
	checksum := zstded(t, nil, parts[:5]...)
	checksum[len(checksum)-1] ^= 1
	checksum = append(checksum, zstded(t, nil, parts[5:]...)...)
	join := func(p [][]byte) []byte { return bytes.Join(p, nil) }
	for name, c := range map[string]struct {
		file []byte
		want []int
	}{
		"gzip, whole":                            {zippedStored(parts), all},
		"gzip, wrong digests, right checksums":   {zippedStored(wrong), all},
		"gzip, a byte":                           {flip(zippedStored(parts), parts[4]), without4},
		"gzip without digests, a byte":           {flip(zippedStored(bare), bare[4]), without4},
		"one gzip member, a byte":                {flip(zippedStored([][]byte{plain}), parts[4]), without4},
		"plain, a byte":                          {flip(plain, parts[4]), without4},
		"plain without digests, whole":           {join(bare), all},
		"gzip without digests, a length":         {zippedStored(shorter(bare, 4)), all},
		"gzip, a member with damage and a short": {flip(zippedStored(shorter(bare, 4)), bare[4]), without4},
		"plain, a short length":                  {join(shorter(parts, 4)), without4},
		"zstd, whole":                            {zstded(t, nil, parts...), all},
		"zstd, a checksum":                       {checksum, without4},
	} {
		t.Run(name, func(t *testing.T) {
			ds := ds
			if bytes.Contains([]byte(name), []byte("a length")) { // the record is as it was written: its body ends early
				ds = slices.Clone(ds)
				ds[4].Content = ds[4].Content[:len(ds[4].Content)-100]
			}
			got, damage := verified(t, c.file, ds)
			if !slices.Equal(got, c.want) {
				t.Errorf("records %v passed, want %v", got, c.want)
			}
			if damaged := len(c.want) < len(all) || bytes.Contains([]byte(name), []byte("a length")); damaged != (damage > 0) {
				t.Errorf("damage was reported %d times", damage)
			}
		})
	}
}

// shorter takes 100 from the length of part i.
func shorter(parts [][]byte, i int) [][]byte {
	c := slices.Clone(parts)
	c[i] = longer(c[i], 0, -100)
	return c
}

// TestVerifyPassesAContentWhoseChecksumIsCutOff: the content is whole, and its digest says so.
func TestVerifyPassesAContentWhoseChecksumIsCutOff(t *testing.T) {
	ds := drafts(2)
	file, _ := written(t, Gzip, ds)
	got, damage := verified(t, file[:len(file)-3], ds)
	if !slices.Equal(got, []int{0, 1, 2}) || damage != 1 {
		t.Errorf("records %v passed, and damage was reported %d times; want all, and once", got, damage)
	}
}

func TestVerifyKnowsTheKindsOfDigests(t *testing.T) {
	const content = "HTTP/1.1 200 OK\r\n\r\n<p>A page."
	for digest, want := range map[string]bool{
		"sha1:" + DigestOf([]byte(content))[5:]:                                            true,
		"SHA-1:2d3eb6a1cd9a8d6cd2fb16d6a9dfa1a0d7f6c3d5":                                   false,
		"md5:00000000000000000000000000000000":                                             false,
		"sha256:ab":                                                                        true, // no digest of this kind has two digits
		"blake3:00000000000000000000000000000000":                                          true,
		"sha-256:0000000000000000000000000000000000000000000000000000000000000000":         false,
		"sha512:" + fmt.Sprintf("%0128d", 0):                                               false,
		"sha1:" + string(bytes.ToLower([]byte(DigestOf([]byte(content))[5:]))):             true,
		"sha256:0000000000000000000000000000000000000000000000000000000000000000 and more": true,
	} {
		file := fmt.Sprintf("WARC/1.1\r\nWARC-Type: response\r\nWARC-Target-URI: http://a.example/\r\nWARC-Block-Digest: %s\r\nContent-Length: %d\r\n\r\n%s\r\n\r\n", digest, len(content), content)
		w, err := NewReader(bytes.NewReader([]byte(file)), "f", DefaultOptions())
		if err != nil {
			t.Fatal(err)
		}
		rec, err := w.Next()
		if err != nil {
			t.Fatal(err)
		}
		if err := rec.Verify(); (err == nil) != want {
			t.Errorf("%s: Verify is %v", digest, err)
		}
	}
}
