package dedup

func newSorted(d Design, k int) Index { return NewTables(k) }
