package store

import (
	"context"

	"gatecrawl.example/gatecrawl/page"
	"gatecrawl.example/gatecrawl/store/job"
	"gatecrawl.example/gatecrawl/store/kv"
)

// A snapshot is the job at one moment, to be read.
type snapshot = job.Snapshot

// look calls fn with a snapshot of the job.
func (s *Store) look(fn func(in snapshot) error) error {
	return s.kv.View(context.Background(), func(r kv.Reader) error { return fn(snapshot{Reader: r}) })
}

// each calls fn for every row of a table.
func each(r kv.Reader, t *kv.Table, fn func(k, v []byte) error) error { return kv.Each(r, t, fn) }

// What package page keeps of a page.
var (
	tablePages      = page.TableRecords
	tableSignatures = page.TableSignatures
	tableViews      = page.TableViews
	tableBodies     = page.TableBodies
	tableOutlinks   = page.TableOutlinks

	seqKey = page.Key
	seqOf  = page.Seq

	decodePage      = page.DecodeRecord
	decodeSignature = page.DecodeSignature
)
