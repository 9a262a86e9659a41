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

const (
	// manyHosts is that of tables with a row a host. A commit of a wide crawl brings many
	// new hosts, and pages that are split stay half full unless the engine is told: of
	// 20,000 hosts of one page a row in sites took 237 bytes of disk, and takes 129.
	manyHosts = 0.9
)
