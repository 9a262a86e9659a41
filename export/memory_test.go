package export_test

import (
	"fmt"
	"io"
	"runtime"
	"testing"

	"gatecrawl.example/gatecrawl/export"
)

// heapAfter returns the live heap in bytes after n rows, before the export ends.
func heapAfter(t *testing.T, format export.Format, n int) int64 {
	t.Helper()
	row := rows(t)[0]
	e, err := export.New(export.Options{Format: format, Out: io.Discard})
	if err != nil {
		t.Fatal(err)
	}
	for i := range n {
		row.Page.URL, row.Page.Seq = fmt.Sprintf("http://a.example/%d", i), uint64(i+1)
		if err := e.Write(row); err != nil {
			t.Fatal(err)
		}
	}
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	if _, err := e.Finish(); err != nil {
		t.Fatal(err)
	}
	return int64(m.HeapAlloc)
}

func TestAnExportTakesNoMoreMemoryForMoreRows(t *testing.T) {
	few, many := 200, 2000 // 10,000 and 100,000 rows need the same
	if testing.Short() {
		t.Skip("writes thousands of rows")
	}
	for _, format := range []export.Format{export.JSONL, export.CSV, export.WET} {
		least, most := heapAfter(t, format, few), heapAfter(t, format, many)
		t.Logf("%s: %d kB of heap after %d rows, %d kB after %d", format, least>>10, few, most>>10, many)
		if most > least+(1<<20) {
			t.Errorf("%s: %d bytes of heap after %d rows, %d after %d", format, least, few, most, many)
		}
	}
}
