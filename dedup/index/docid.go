package index

import (
	"encoding/binary"

	"gatecrawl.example/gatecrawl/dedup/index/internal/lanes"
)

// A DocID identifies a kept document within one job: its place in crawl order, counted from 1. Zero
// is no document.
type DocID = lanes.DocID

// MaxDistance is the largest Options.Distance: with seven blocks of nine bits
// a bucket of the tables already holds N/512 fingerprints.
const MaxDistance = 6

var Native = binary.NativeEndian
