package disk

import (
	"bytes"
	"testing"

	"gatecrawl.example/gatecrawl/store/kv/disk/runs"
)

func TestEntriesOfTheLogAreReadPackedAndAsTheyAre(t *testing.T) {
	slab := runs.NewSlab(0, 0)
	for i := range byte(50) {
		slab.Add('u', []byte{i}, []byte("http://example.org/a/page"), false)
	}
	packed := packSlab(slab)
	if len(packed)*2 > len(slab.Bytes()) {
		t.Errorf("%d bytes are packed to %d", len(slab.Bytes()), len(packed))
	}
	for name, entry := range map[string][]byte{"packed": packed, "plain": slab.Bytes()} {
		if got, err := slabIn(entry); err != nil || !bytes.Equal(got.Bytes(), slab.Bytes()) {
			t.Errorf("%s: slabIn = %v, %v", name, got, err)
		}
	}
	for n := range packed {
		if got, err := slabIn(packed[:n]); err == nil && got.Len() > 0 {
			t.Errorf("%d of %d bytes are read as %d changes", n, len(packed), got.Len())
		}
	}
}
