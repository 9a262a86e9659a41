package store

import "testing"

func FuzzGroupRecords(f *testing.F) {
	f.Add(groupRecord{degree: 2, copies: 300}.encode())
	f.Fuzz(func(t *testing.T, b []byte) { decodeGroup(b) })
}
