package dedup

import (
	"cmp"
	"errors"
	"fmt"
	"hash/fnv"

	"gatecrawl.example/gatecrawl/dedup/index"
)

// A Folder is where a gate keeps its tables. Only one process at a time may have it open for
// writing.
type Folder struct {
	Dir string

	// Job identifies the store that the documents are from. Tables of another job are dropped.
	Job string

	// Last is the last document of the store. The tables forget later ones, which were never
	// committed.
	Last DocID

	// ReadOnly leaves the files unchanged. What they lack is held in memory.
	ReadOnly bool
}

// OpenGate opens a gate whose tables are in a folder, or creates one, and returns the document up
// to which the gate knows all kept pages of the store. Load the later ones in rising order, and
// then call Commit. If settings that affect the tables have changed, complete is 0 and all kept
// pages have to be loaded.
//
// Documents must be claimed and loaded in rising order; a document that is not above the last one
// counts as known. The error for a damaged file is a *DamageError: call DropIndex and open the gate
// again. Damage may also be found later, when a part of a file is first read; then Claim and Check
// return it.
//
// In ModeOff nothing is opened.
func OpenGate(f Folder, o Options, sigs Signatures) (g *Gate, complete DocID, err error) {
	g, err = NewGate(o, sigs)
	if err != nil || o.Mode == ModeOff {
		return g, f.Last, err
	}
	c := o.catalog()
	c.Shape, c.ReadOnly = o.shape(f.Job), f.ReadOnly
	g.tables, err = index.Open(f.Dir, f.Last, c)
	if err != nil {
		return nil, 0, err
	}
	return g, g.tables.Last, nil
}

func (o Options) catalog() index.Options {
	return index.Options{Design: cmp.Or(o.Index, index.DesignBlocks), Distance: o.Distance, Bands: o.Bands, Memory: o.Memory}
}

// shape hashes the settings that decide which rows a document has and how they are written.
func (o Options) shape(job string) uint64 {
	h := fnv.New64a()
	fmt.Fprintf(h, "signature %d, min tokens %d, bands %d, outline %d, heads %d, job %q",
		SignatureVersion, o.MinTokens, o.Bands, index.OutlineSize, index.HeadTables, job)
	return h.Sum64()
}

// Commit writes what was claimed and loaded since the last call to the files. The store must have
// committed it before. It must not be called at the same time as Claim or Load.
func (g *Gate) Commit() error { return g.tables.Commit() }

// Close closes the files. What was not committed is lost.
func (g *Gate) Close() error { return g.tables.Close() }

// CheckFiles reads every byte of the files and returns what is wrong: each error is a *DamageError,
// or one of the file system. It must not be called at the same time as Commit.
func (g *Gate) CheckFiles() []error { return g.tables.Check() }

// Rows returns the number of rows in all tables except those of bands.
func (g *Gate) Rows() int { return g.tables.Count() }

// RowsOf returns how many rows a kept page has.
func (g *Gate) RowsOf(sig Signature) (n int) {
	for _, has := range []bool{!sig.Bytes.IsZero(), g.o.hasDigest(sig), g.o.comparable(sig)} {
		if has {
			n++
		}
	}
	return n
}

// Holds says what the tables lack of a kept page; nil: nothing.
func (g *Gate) Holds(doc DocID, sig Signature) error {
	g.mu.RLock()
	defer g.mu.RUnlock()
	var lack []error
	carries := func(t index.HeadTable, d Digest) (found bool) {
		g.tables.Find(t, d.head(), func(c DocID) bool { found = c == doc; return !found })
		return found || d.IsZero()
	}
	if !carries(index.BytesHeads, sig.Bytes) {
		lack = append(lack, errors.New("the digest of its bytes"))
	}
	if g.o.hasDigest(sig) && !carries(index.BodyHeads, sig.Body) {
		lack = append(lack, errors.New("the digest of its body"))
	}
	if g.o.comparable(sig) {
		if !g.meets(doc, sig.Bands) {
			lack = append(lack, errors.New("a band"))
		}
		found := false
		g.tables.Near(sig.SimHash, 0, func(c DocID, _ uint64, _ int) bool { found = c == doc; return !found })
		if !found {
			lack = append(lack, errors.New("its fingerprint"))
		}
		if o, ok := g.tables.OutlineOf(doc); !ok || o != outlineOf(sig).pack() {
			lack = append(lack, errors.New("its outline"))
		}
	}
	return errors.Join(lack...)
}

// meets reports whether every band leads to a document, or to as many documents as a band may lead
// to.
func (g *Gate) meets(doc DocID, keys index.Bands) bool {
	met, found := 0, 0
	g.tables.Meet(keys, func(c DocID) {
		met++
		if c == doc {
			found++
		}
	})
	return found >= g.o.Bands || met >= index.MaxMeet
}
