package store

import (
	"gatecrawl.example/gatecrawl/page"
)

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
