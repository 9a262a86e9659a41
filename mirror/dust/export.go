package dust

import (
	"encoding/json"
	"fmt"
	"io"
)

// exportVersion is the version of the format that WriteRules writes.
const exportVersion = 1

// An export is the rules of one job for another.
type export struct {
	Version int       `json:"version"`
	Rules   []Learned `json:"rules"`
}

// WriteRules writes rules as JSON for another job, without their example URLs, which belong to this
// job.
func WriteRules(w io.Writer, rs []Learned, indent bool) error {
	e := export{exportVersion, make([]Learned, len(rs))}
	for i, r := range rs {
		r.Same, r.Differ = [2]string{}, [2]string{}
		e.Rules[i] = r
	}
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	if indent {
		enc.SetIndent("", " ")
	}
	return enc.Encode(e)
}

// ReadRules reads what WriteRules wrote, at most that many bytes. Its errors start with the name of
// the file, and with the line if it is known.
func ReadRules(r io.Reader, name string, most int) ([]Learned, error) {
	text, err := io.ReadAll(io.LimitReader(r, int64(most)+1))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if len(text) > most {
		return nil, fmt.Errorf("%s: more than %d bytes", name, most)
	}
	var e export
	if err := json.Unmarshal(text, &e); err != nil {
		return nil, fmt.Errorf("%s:%d: want what crawl rules export writes: %w", name, errorLine(text, err), err)
	}
	if e.Version != exportVersion {
		return nil, fmt.Errorf("%s: rules of version %d; this program reads %d", name, e.Version, exportVersion)
	}
	for i, r := range e.Rules {
		if err := r.Rule.Validate(); err != nil {
			return nil, fmt.Errorf("%s: rule %d: %w", name, i+1, err)
		}
		if r.Distinct > r.OK {
			return nil, fmt.Errorf("%s: rule %d: %d distinct pages of %d", name, i+1, r.Distinct, r.OK)
		}
	}
	return e.Rules, nil
}
