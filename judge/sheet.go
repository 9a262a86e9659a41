package judge

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"gatecrawl.example/gatecrawl/durable"
)

// An Answer is a person's answer about a pair.
type Answer string

// The answers.
const (
	Same   Answer = "same"
	Not    Answer = "not"
	Unsure Answer = "unsure"
)

// Answers are all answers, in the order of the buttons.
var Answers = []Answer{Same, Not, Unsure}

// head is the first line of a sheet.
type head struct {
	LeftOut string    `json:"left_out"`      // crawl eval skips a line that has it
	Job     string    `json:"job,omitempty"` // Sample.Job; earlier versions did not write it
	Strata  []Stratum `json:"strata"`
	Alone   int       `json:"alone"`
	Bare    int       `json:"bare"`
}

// A line is an answered pair.
type line struct {
	A       Side   `json:"a"`
	B       Side   `json:"b"`
	Label   *int   `json:"label,omitempty"` // 1: the same, 0: not
	Answer  Answer `json:"answer"`
	Stratum string `json:"stratum"`
	LeftOut string `json:"left_out,omitempty"` // why crawl eval cannot use it
}

// key identifies a pair.
func key(a, b string) [2]string { return [2]string{a, b} }

// A Sheet is a file of answers. Its methods may be called from many goroutines.
type Sheet struct {
	name string

	mu    sync.Mutex
	head  head
	lines []line
	at    map[[2]string]int // of lines
}

// explains the first line to a person who reads the file
const whatHead = "what crawl judge drew from"

// OpenSheet reads a file of answers, or creates it; a device, a pipe, the file of another program and
// answers about another job than the sample's are refused: their estimate would count answers about one
// for pages of the other. With a sample the sizes of its strata are used.
func OpenSheet(name string, s *Sample) (*Sheet, error) {
	sh := &Sheet{name: name, at: make(map[[2]string]int)}
	if err := durable.CheckFile(name); err != nil {
		return nil, err // of a device there may be no end
	}
	b, err := os.ReadFile(name)
	switch {
	case errors.Is(err, fs.ErrNotExist) && s != nil:
		// it is written with the first answer
	case err != nil:
		return nil, err
	default:
		switch err := sh.parse(b); {
		case errors.Is(err, errNoSheet):
			return nil, fmt.Errorf("%s: %w: name another file", name, err)
		case err != nil:
			return nil, fmt.Errorf("%s: %w; remove that line to go on with the others, or move the file away to start again", name, err)
		}
	}
	if s != nil {
		if err := mayWrite(filepath.Dir(name)); err != nil {
			return nil, err
		}
		if sh.head.Job != "" && s.Job != "" && sh.head.Job != s.Job {
			return nil, fmt.Errorf("%s has answers about another job: name another file for this one", name)
		}
		sh.head = head{LeftOut: whatHead, Job: s.Job, Strata: s.Strata, Alone: s.Alone, Bare: s.Bare}
	}
	return sh, nil
}

// mayWrite says what keeps files from being written in a folder, before somebody has answered for nothing.
func mayWrite(dir string) error {
	f, err := os.CreateTemp(dir, ".judge.*.part")
	if path, ok := errors.AsType[*fs.PathError](err); ok {
		return fmt.Errorf("answers cannot be written into the folder %s: %w", dir, path.Err)
	}
	if err != nil {
		return err
	}
	return errors.Join(f.Close(), os.Remove(f.Name()))
}

// errNoSheet is the error of a file that does not start as answers do. Nothing is said about its lines: another
// program may need them.
var errNoSheet = errors.New("these are not answers of crawl judge")

func (sh *Sheet) parse(b []byte) error {
	n := 0
	for text := range bytes.Lines(b) {
		n++
		var err error
		if n == 1 {
			if err := json.Unmarshal(text, &sh.head); err != nil || len(sh.head.Strata) == 0 {
				return errNoSheet
			}
		} else {
			var l line
			if err = json.Unmarshal(text, &l); err == nil && !slices.Contains(Answers, l.Answer) {
				err = fmt.Errorf("answer %q: want same, not or unsure", l.Answer)
			}
			sh.put(l)
		}
		if err != nil {
			return fmt.Errorf("line %d: %w", n, err)
		}
	}
	if n == 0 {
		return errNoSheet
	}
	return nil
}

func (sh *Sheet) put(l line) {
	k := key(l.A.URL, l.B.URL)
	if i, ok := sh.at[k]; ok {
		sh.lines[i] = l
		return
	}
	sh.at[k] = len(sh.lines)
	sh.lines = append(sh.lines, l)
}

// Of returns the answer about a pair, "" if there is none.
func (sh *Sheet) Of(p *Pair) Answer {
	sh.mu.Lock()
	defer sh.mu.Unlock()
	if i, ok := sh.at[key(p.A.URL, p.B.URL)]; ok {
		return sh.lines[i].Answer
	}
	return ""
}

// Answer stores an answer. It is durable when Answer returns.
func (sh *Sheet) Answer(p *Pair, a Answer) error {
	if !slices.Contains(Answers, a) {
		return fmt.Errorf("%q is not an answer: want same, not or unsure", a)
	}
	l := line{A: p.A, B: p.B, Answer: a, Stratum: p.Stratum}
	label := 0
	switch {
	case a == Unsure:
		l.LeftOut = "nobody was sure"
	case p.Lost():
		l.LeftOut = "the text of the copy was not kept"
	}
	if a == Same {
		label = 1
	}
	if a != Unsure {
		l.Label = &label
	}
	sh.mu.Lock()
	defer sh.mu.Unlock()
	if err := sh.takeOver(); err != nil {
		return fmt.Errorf("the answer is not saved, since %s was changed meanwhile: %w", sh.name, err)
	}
	sh.put(l)
	return sh.write()
}

// takeOver adds what another crawl judge has written into the file since it was read here: the file is replaced
// with each answer, and would lose that one's. The two may still lose an answer if they write within milliseconds.
func (sh *Sheet) takeOver() error {
	b, err := os.ReadFile(sh.name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	now := &Sheet{at: make(map[[2]string]int)}
	if err := now.parse(b); err != nil {
		return err
	}
	if now.head.Job != "" && sh.head.Job != "" && now.head.Job != sh.head.Job {
		return errors.New("it has answers about another job")
	}
	for _, l := range now.lines {
		sh.put(l)
	}
	return nil
}

// write replaces the whole file, so that after a crash it is the old or the new one.
func (sh *Sheet) write() error {
	return durable.WriteFile(sh.name, 0o600, func(f *os.File) error {
		out := bufio.NewWriter(f)
		enc := json.NewEncoder(out)
		enc.SetEscapeHTML(false)
		err := enc.Encode(sh.head)
		for i := 0; i < len(sh.lines) && err == nil; i++ {
			err = enc.Encode(sh.lines[i])
		}
		return errors.Join(err, out.Flush())
	})
}

// Estimate extrapolates the answers.
func (sh *Sheet) Estimate() Estimate {
	sh.mu.Lock()
	defer sh.mu.Unlock()
	list := make([]Tally, len(sh.head.Strata))
	for i, s := range sh.head.Strata {
		list[i].Stratum = s
	}
	for _, l := range sh.lines {
		i := slices.IndexFunc(list, func(t Tally) bool { return t.Name == l.Stratum })
		if i < 0 {
			continue // a stratum of an older version
		}
		switch l.Answer {
		case Same:
			list[i].Same++
		case Not:
			list[i].Not++
		default:
			list[i].Unsure++
		}
	}
	return Estimated(list, sh.head.Alone+sh.head.Bare)
}
