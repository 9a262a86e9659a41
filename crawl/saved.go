package crawl

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"gatecrawl.example/gatecrawl/configs"
	"gatecrawl.example/gatecrawl/durable"
	"gatecrawl.example/gatecrawl/store"
)

// A job's settings are in its folder, in a file whose last line is a checksum of all lines
// before it, and crawl.db has a copy. They say what a crawl may fetch, and how it identifies
// itself: without them a job would go on with the defaults, so it is refused if they are not as
// they were written.

// SettingsFile is the name of the file in a job's folder that has its settings.
const SettingsFile = "settings.yaml"

func savedPath(dir string) string { return filepath.Join(dir, SettingsFile) }

// checksumMark starts the last line, and lastSetting the last one of files that were written
// before there was a checksum.
const (
	checksumMark = "# checksum "
	lastSetting  = "\nlog-format: "
)

// A DamagedSettingsError says that the settings of a job are not as they were written.
// CopiedSettings has those of the last run, and RestoreSettings writes them again.
type DamagedSettingsError struct {
	Dir     string // the job's folder
	Problem string // such as "are gone" or "are cut short"
	Fault   error  // of the file, if it cannot be read as settings; else nil
}

func (e *DamagedSettingsError) Error() string {
	text := fmt.Sprintf("the settings of the job, %s, %s", savedPath(e.Dir), e.Problem)
	if e.Fault != nil {
		text += fmt.Sprintf(" (%v)", e.Fault)
	}
	return text + ": the crawl would go on with other rules than it was started with"
}

func (e *DamagedSettingsError) Unwrap() error { return e.Fault }

// Altered reports whether the settings can be read, but somebody changed them.
func (e *DamagedSettingsError) Altered() bool { return e.Problem == isAltered }

// What may be wrong with a file of settings.
const (
	isGone    = "are gone"
	isEmpty   = "are empty"
	isCut     = "are cut short"
	isAltered = "are not as the last run wrote them"
)

// SavedSettings reads the settings of a job, the defaults if there is no job. The error is a
// *DamagedSettingsError if they are not as the last run wrote them.
func SavedSettings(dir string) (configs.Settings, error) {
	if err := NoFolder(dir); err != nil {
		return configs.Default(), err
	}
	path := savedPath(dir)
	text, err := readSaved(path)
	switch {
	case errors.Is(err, fs.ErrNotExist) && !Exists(dir):
		return configs.Default(), nil
	case errors.Is(err, fs.ErrNotExist):
		return configs.Default(), &DamagedSettingsError{Dir: dir, Problem: isGone}
	case err != nil:
		return configs.Default(), fmt.Errorf("settings of the job: %w", err)
	}
	s, fault := configs.Parse(text, path, configs.Default())
	if problem := problemOf(text); problem != "" {
		return configs.Default(), &DamagedSettingsError{dir, problem, fault}
	}
	return s, fault
}

func readSaved(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, configs.MaxFileBytes))
}

// problemOf says what is wrong with the text of saved settings, "" if they are whole.
func problemOf(text []byte) string {
	at := bytes.LastIndex(text, []byte(checksumMark))
	switch {
	case len(bytes.TrimSpace(text)) == 0:
		return isEmpty
	case at >= 0 && string(text[at:]) == checksumLine(text[:at]):
		return ""
	case at >= 0:
		return isAltered
	case bytes.Contains(text, []byte(lastSetting)) && bytes.HasSuffix(text, []byte("\n")):
		return "" // of a job that was started before there was a checksum
	}
	return isCut
}

func checksumLine(text []byte) string {
	return fmt.Sprintf("%s%x\n", checksumMark, sha256.Sum256(text))
}

// savedText returns what a job's file of settings has.
func savedText(s configs.Settings) ([]byte, error) {
	var b bytes.Buffer
	if err := s.WriteYAML(&b); err != nil {
		return nil, err
	}
	b.WriteString("\n# This file is the crawl's: to change a setting give its flag to crawl run, or a file by --config.\n")
	b.WriteString(checksumLine(b.Bytes()))
	return b.Bytes(), nil
}

// save writes the settings of a job whole or not at all, and a copy into its store.
func save(dir string, s configs.Settings, st Job) error {
	text, err := savedText(s)
	if err == nil {
		err = writeSaved(dir, text)
	}
	if err == nil {
		err = st.SaveSettings(text)
	}
	if err != nil {
		return fmt.Errorf("saving the settings: %w", err)
	}
	return nil
}

// writeSaved replaces the file of settings. When it returns the new one outlives a power
// cut, and before that the old one does.
func writeSaved(dir string, text []byte) error {
	const mode = 0o600 // a proxy's password may be in it
	return durable.WriteFile(savedPath(dir), mode, func(f *os.File) error {
		_, err := f.Write(text)
		return err
	})
}

// copied returns the copy of a job's settings in its store, and its text; nil, with the
// defaults, if there is none. It reports whether anything was ever queued in the job.
func copied(dir string) (s configs.Settings, text []byte, started bool, err error) {
	text, started, err = savedSettings(dir)
	if err != nil || text == nil {
		return configs.Default(), nil, started, err
	}
	s, fault := configs.Parse(text, savedPath(dir), configs.Default())
	if fault != nil || problemOf(text) != "" {
		return configs.Default(), nil, started, nil
	}
	return s, text, started, nil
}

// CopiedSettings returns the copy of a job's settings that its store has, for a job whose file
// of them is damaged. It returns the defaults if there is no copy.
func CopiedSettings(dir string) (configs.Settings, error) {
	s, _, _, err := copied(dir)
	return s, err
}

// RestoreSettings writes the copy of a job's settings that its store has over a file that
// is damaged. It reports whether there is a copy.
func RestoreSettings(dir string) (found bool, err error) {
	_, text, _, err := copied(dir)
	if err != nil || text == nil {
		return false, err
	}
	return true, writeSaved(dir, text)
}

// SettingsOf returns the settings to go on with a job, the defaults if there is no job. Damaged
// ones are a *DamagedSettingsError, unless nothing was queued in the job yet.
func SettingsOf(dir string) (configs.Settings, error) {
	s, err := SavedSettings(dir)
	var damaged *DamagedSettingsError
	if !errors.As(err, &damaged) {
		return s, err
	}
	if lost := store.NoJob(dir); !Exists(dir) && errors.As(lost, new(*store.TablesLostError)) {
		return configs.Default(), lost
	} else if !Exists(dir) {
		return configs.Default(), fmt.Errorf("the settings of the job, %s, %s, and crawl.db, which had a copy of them, is gone: delete the former to start a new job in this folder, or name another folder",
			savedPath(dir), damaged.Problem)
	}
	copy, _, started, err := copied(dir)
	if err != nil || !started {
		return copy, err
	}
	return s, damaged
}
