package job

import (
	"gatecrawl.example/gatecrawl/store/kv"
)

// Version is the version of the job folder's format that this program reads and writes.
const Version = 5

// The files of a job folder.
const (
	FileTables = "crawl.db"
	FileFilter = "seen.bloom"
	DirIndex   = "index" // of the gate's tables
	DirLinks   = "links"
)

// The tables of this package.
var (
	TableMeta    = &kv.Table{Name: "meta"}    // the rows below
	TableLost    = &kv.Table{Name: "lost"}    // by sequence number: why a repair removed the page
	TableRevised = &kv.Table{Name: "revised"} // by sequence number: pages that were signed again

	// TableRemote has, by the sequence number of a kept page, its outlinks in other partitions: the
	// partition, 4 bytes, and the key of each.
	TableRemote = &kv.Table{Name: "abroad", Fill: .95}
)

// Roots has the roots of the scope, by URL: of a wide crawl each host may have one. Their values are short, so that those which
// this version of the program adds are in the scattered table.
var Roots = &kv.Divided{Large: &kv.Table{Name: "roots", Fill: .9}, Small: &kv.Table{Name: "roots-small", ID: 's'}, Most: len(Present)}

// The rows of TableMeta.
var (
	KeyRecord   = []byte("job")
	KeyState    = []byte("state")
	KeySettings = []byte("settings")

	// LastPage is the highest sequence number of a page.
	LastPage = kv.Counter{Table: TableMeta, Key: []byte("pages")}
)

// Present is the value of keys that need none.
var Present = []byte{1}

// Tables returns the tables of this package.
func Tables() []*kv.Table {
	return append(Roots.Tables(), TableMeta, TableLost, TableRevised, TableRemote)
}
