package integrity

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"path/filepath"

	"gatecrawl.example/gatecrawl"
	"gatecrawl.example/gatecrawl/frontier/weburl"
	"gatecrawl.example/gatecrawl/page"
	"gatecrawl.example/gatecrawl/store/job"
	"gatecrawl.example/gatecrawl/store/kv"
	"gatecrawl.example/gatecrawl/store/kv/disk"
)

// RepairTables makes the tables of the job in dir fit to be opened. It replaces a job record that
// cannot be read, assuming that the versions in it were those of this program. The errors are those
// of disk.Repair.
func RepairTables(ctx context.Context, dir string, tables []*kv.Table, engine disk.Options, fn func(gatecrawl.Breach) error) (disk.Repaired, error) {
	path := filepath.Join(dir, job.FileTables)
	done, err := disk.Repair(ctx, path, tables, disk.RepairOptions{
		Options: engine, Stray: strayRow,
		Tell: func(where, what string) error { return fn(gatecrawl.Breach{Invariant: where, Detail: what}) },
	})
	if err != nil {
		return done, err
	}
	s, err := disk.Open(path, tables, engine)
	if err != nil {
		return done, err
	}
	err = s.Update(ctx, func(tx kv.Tx) error {
		was, err := tx.Get(job.TableMeta, job.KeyRecord)
		if err != nil || json.Unmarshal(was, new(job.Record)) == nil {
			return err
		}
		b, err := json.Marshal(job.NewRecord("", ""))
		if err != nil {
			return err
		}
		tx.Put(job.TableMeta, job.KeyRecord, b)
		return fn(gatecrawl.Breach{Invariant: "the job's record", Detail: "altered, and rebuilt with the versions of this program"})
	})
	return done, errors.Join(err, s.Close())
}

// strayRow recognizes rows to which no page of a damaged file leads, see disk.Stray. Of several
// states of the job the one with the most pages counts as the newest. Other rows are derived from
// these by the steps of a repair; robots.txt files are fetched again, and what was known of sites
// is learned again.
func strayRow(key, value []byte) (*kv.Table, uint64) {
	switch {
	case bytes.Equal(key, job.KeyRecord):
		if json.Unmarshal(value, new(job.Record)) == nil {
			return job.TableMeta, 0
		}
	case bytes.Equal(key, job.KeyState):
		var j job.State
		if json.Unmarshal(value, &j) == nil {
			return job.TableMeta, uint64(max(0, j.Totals.Pages))
		}
	case bytes.Equal(key, job.KeySettings):
		if text, made := job.SettingsIn(value); text != nil {
			return job.TableMeta, made
		}
	case bytes.Equal(value, job.Present):
		if u, err := weburl.Parse(string(key)); err == nil && u.String() == string(key) {
			return job.Roots.Large, 0
		}
	case len(key) == 8 && isPageRecord(value):
		return page.TableRecords, 0 // so that its URL is known
	}
	return nil, 0
}

// isPageRecord reports whether a value has the form of a page's record.
func isPageRecord(b []byte) bool {
	p, _, err := page.DecodeRecord(b)
	if err != nil || p.Verdict == "" {
		return false
	}
	u, err := weburl.Parse(p.URL)
	return err == nil && u.String() == p.URL
}
