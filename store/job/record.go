package job

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"path/filepath"
	"time"

	"gatecrawl.example/gatecrawl/dedup"
	"gatecrawl.example/gatecrawl/frontier/weburl"
	"gatecrawl.example/gatecrawl/purify"
)

// A VersionError says that a job was written by another version of a part
// whose results do not compare with ours.
type VersionError struct {
	Dir       string
	Part      string // "job folder", "url rules", "purify", "signature"
	Got, Want int
}

func (e *VersionError) Error() string {
	return fmt.Sprintf("job %s was written with %s version %d, and this program has version %d: "+
		"finish it with the program that started it, or start a new job in another folder", e.Dir, e.Part, e.Got, e.Want)
}

// An IDFError says that a job's signatures were made with another table of words
// than those to come would be.
type IDFError struct {
	Dir       string
	Got, Want string // versions: of the job, and of the table at hand; "": none
}

func (e *IDFError) Error() string {
	switch {
	case e.Got == "":
		return fmt.Sprintf("job %s was started without an idf table: go on without the setting idf, or start a new job in another folder", e.Dir)
	case e.Want == "":
		return fmt.Sprintf("job %s was started with idf table %s: name its file by the setting idf, or start a new job in another folder", e.Dir, e.Got)
	}
	return fmt.Sprintf("job %s was started with idf table %s, and this is table %s: name the file of the former, or start a new job in another folder", e.Dir, e.Got, e.Want)
}

// A SelectorsError says that the bodies of a job's pages were chosen by other selectors
// than those to come would be.
type SelectorsError struct {
	Dir       string
	Got, Want string // versions: of the job, and of the run; "": none
}

func (e *SelectorsError) Error() string {
	const how = "bodies that are chosen in two ways do not compare"
	switch {
	case e.Got == "":
		return fmt.Sprintf("job %s was started without keep and drop, and %s: go on without these settings, or start a new job in another folder", e.Dir, how)
	case e.Want == "":
		return fmt.Sprintf("job %s was started with selectors of keep and drop, and %s: give those (settings.yaml in that folder has them), or start a new job in another folder", e.Dir, how)
	}
	return fmt.Sprintf("job %s was started with other selectors of keep and drop, and %s: give those (settings.yaml in that folder has them), or start a new job in another folder", e.Dir, how)
}

// Foreign says that a job's file is another program's.
func Foreign(dir string) error {
	return fmt.Errorf("%s is a bbolt file, but not of a crawl that this program can read: "+
		"finish it with the program that started it, or start a new job in another folder", filepath.Join(dir, FileTables))
}

// A Record is what never changes about a job.
type Record struct {
	Version int       `json:"version"`
	Canon   int       `json:"canon"`         // weburl.Version
	Purify  int       `json:"purify"`        // purify.Version
	Sign    int       `json:"signature"`     // dedup.SignatureVersion
	IDF     string    `json:"idf,omitempty"` // version of the table of words; "": none
	Created time.Time `json:"created"`

	Selectors string `json:"selectors,omitempty"` // version of those that name bodies; "": none
	Partition bool   `json:"partition,omitempty"` // it is a part of a job; those of earlier versions lack it
}

// NewRecord is that of a job which starts now; versions of the table of words and of the selectors.
func NewRecord(idf, selectors string) Record {
	return Record{
		Version: Version, Canon: weburl.Version, Purify: purify.Version,
		Sign: dedup.SignatureVersion, IDF: idf, Selectors: selectors, Created: time.Now().UTC(),
	}
}

// Check refuses records of other versions. To inspect a job it is enough to be able to read it;
// to go on with it, new results have to be comparable with those that are there.
func (j Record) Check(dir string, readOnly bool) error {
	for i, p := range []struct {
		part      string
		got, want int
	}{
		{"job folder", j.Version, Version},
		{"url rules", j.Canon, weburl.Version},
		{"purify", j.Purify, purify.Version},
		{"signature", j.Sign, dedup.SignatureVersion},
	} {
		if p.got != p.want && (i == 0 || !readOnly) {
			return &VersionError{Dir: dir, Part: p.part, Got: p.got, Want: p.want}
		}
	}
	return nil
}

// CheckSettings refuses to go on with a job by other words or selectors than it was started
// with; versions as in NewRecord.
func (j Record) CheckSettings(dir, idf, selectors string) error {
	if j.IDF != idf {
		return &IDFError{Dir: dir, Got: j.IDF, Want: idf}
	}
	if j.Selectors != selectors {
		return &SelectorsError{Dir: dir, Got: j.Selectors, Want: selectors}
	}
	return nil
}

// SettingsIn returns the copy of the settings, nil if there is no intact one, and when it was
// made.
func SettingsIn(v []byte) (text []byte, made uint64) {
	const head = 12
	if len(v) <= head || binary.BigEndian.Uint32(v[8:]) != crc32.ChecksumIEEE(v[head:]) {
		return nil, 0
	}
	return bytes.Clone(v[head:]), binary.BigEndian.Uint64(v)
}

// Settings is the row of a copy of a job's settings, made at a time.
func Settings(text []byte, at time.Time) []byte {
	v := binary.BigEndian.AppendUint64(nil, uint64(at.UnixNano()))
	v = binary.BigEndian.AppendUint32(v, crc32.ChecksumIEEE(text))
	return append(v, text...)
}

// AdvisePartition is AdviseRepair of a partition, which nothing repairs: what the partition and the gate know of
// each other has to agree.
func AdvisePartition(dir string, err error) error {
	return fmt.Errorf("%w: a partition cannot be repaired; crawl export %s reads the pages that are whole", err, filepath.Join(dir, "archive"))
}

// AdviseRepair adds to the error of damaged files what to do.
func AdviseRepair(dir string, err error) error {
	return fmt.Errorf("%w: run crawl check --job %s --repair", err, dir)
}
