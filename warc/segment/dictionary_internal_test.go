package segment

import (
	"bytes"
	"runtime"
	"testing"
)

// What an encoder has taken for a long record it holds as long as the job is open.
func TestAnEncoderHoldsLittleAfterALongRecord(t *testing.T) {
	long := bytes.Repeat([]byte("word "), 1<<18)
	heap := func() int64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		return int64(m.HeapAlloc)
	}
	before := heap()
	d, err := newDictionary(nil)
	if err != nil {
		t.Fatal(err)
	}
	d.enc.EncodeAll(long, nil)
	if held := heap() - before; held > 5<<20 {
		t.Errorf("it holds %d bytes, want at most 5 MB", held)
	}
	runtime.KeepAlive(d)
	runtime.KeepAlive(long)
}
