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

// The parts of a VersionError whose pages can be used again.
const (
	partFolder = "job folder"
	partPurify = "purify"
)

// A VersionError says that a job was written by a version of some part whose results can't be
// compared with those of this version.
type VersionError struct {
	Dir       string
	Part      string // "job folder", "url rules", "purify", "signature"
	Got, Want int
}

func (e *VersionError) Error() string {
	text := fmt.Sprintf("job %s was written with %s version %d, and this program has version %d: "+
		"finish it with the program that started it, or start a new job in another folder", e.Dir, e.Part, e.Got, e.Want)
	switch e.Part {
	case partPurify:
		text += " with --known " + e.Dir + ", which keeps what this job does not have"
		fallthrough
	case partFolder:
		text += "; crawl export " + filepath.Join(e.Dir, "archive") + " reads its pages, and with --fields url it writes their URLs for --seeds of a new job"
	}
	return text
}

// An IDFError says that a job's signatures were made with a table of words other than the one that
// is used now.
type IDFError struct {
	Dir       string
	Got, Want string // versions: that of the job, and that of the current table; "": no table
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

// A SelectorsError says that the bodies of a job's pages were chosen with selectors other than
// those that are used now.
type SelectorsError struct {
	Dir       string
	Got, Want string // versions: that of the job, and that of the run; "": no selectors
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

// Foreign returns an error that says that a job's file belongs to another program.
func Foreign(dir string) error {
	return fmt.Errorf("%s is a bbolt file, but not of a crawl that this program can read: "+
		"finish it with the program that started it, or start a new job in another folder", filepath.Join(dir, FileTables))
}

// A Record has the properties of a job that never change.
type Record struct {
	Version int       `json:"version"`
	Canon   int       `json:"canon"`         // weburl.Version
	Purify  int       `json:"purify"`        // purify.Version
	Sign    int       `json:"signature"`     // dedup.SignatureVersion
	IDF     string    `json:"idf,omitempty"` // version of the table of words; "": none
	Created time.Time `json:"created"`

	Selectors string `json:"selectors,omitempty"` // version of the selectors of bodies; "": none
	Partition bool   `json:"partition,omitempty"` // it is a partition; those of earlier versions lack this
}

// NewRecord returns the record of a new job, with the versions of the table of words and of the
// selectors.
func NewRecord(idf, selectors string) Record {
	return Record{
		Version: Version, Canon: weburl.Version, Purify: purify.Version,
		Sign: dedup.SignatureVersion, IDF: idf, Selectors: selectors, Created: time.Now().UTC(),
	}
}

// Check returns an error for records of other versions. To inspect a job it is enough that it can
// be read; to go on with it, new results must be comparable with the existing ones.
func (j Record) Check(dir string, readOnly bool) error {
	for i, p := range []struct {
		part      string
		got, want int
	}{
		{partFolder, j.Version, Version},
		{"url rules", j.Canon, weburl.Version},
		{partPurify, j.Purify, purify.Version},
		{"signature", j.Sign, dedup.SignatureVersion},
	} {
		if p.got != p.want && (i == 0 || !readOnly) {
			return &VersionError{Dir: dir, Part: p.part, Got: p.got, Want: p.want}
		}
	}
	return nil
}

// CheckSettings returns an error if a job was started with another table of words or other
// selectors. The versions are those of NewRecord.
func (j Record) CheckSettings(dir, idf, selectors string) error {
	if j.IDF != idf {
		return &IDFError{Dir: dir, Got: j.IDF, Want: idf}
	}
	if j.Selectors != selectors {
		return &SelectorsError{Dir: dir, Got: j.Selectors, Want: selectors}
	}
	return nil
}

// SettingsIn decodes a copy of the settings and when it was made; nil if there is no intact copy.
func SettingsIn(v []byte) (text []byte, made uint64) {
	const head = 12
	if len(v) <= head || binary.BigEndian.Uint32(v[8:]) != crc32.ChecksumIEEE(v[head:]) {
		return nil, 0
	}
	return bytes.Clone(v[head:]), binary.BigEndian.Uint64(v)
}

// Settings encodes a copy of a job's settings that is made at a time.
func Settings(text []byte, at time.Time) []byte {
	v := binary.BigEndian.AppendUint64(nil, uint64(at.UnixNano()))
	v = binary.BigEndian.AppendUint32(v, crc32.ChecksumIEEE(text))
	return append(v, text...)
}

// AdvisePartition is AdviseRepair for a partition, which can't be repaired, because the partition
// and the gate have to agree.
func AdvisePartition(dir string, err error) error {
	return fmt.Errorf("%w: a partition cannot be repaired; crawl export %s reads the pages that are whole", err, filepath.Join(dir, "archive"))
}

// AdviseRepair adds to the error of damaged files what the user can do.
func AdviseRepair(dir string, err error) error {
	return fmt.Errorf("%w: run crawl check --job %s --repair", err, dir)
}
