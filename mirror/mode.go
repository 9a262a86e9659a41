package mirror

import "fmt"

// A Mode says what a crawl does about mirrored sites.
type Mode uint8

// The three modes.
const (
	ModeOff   Mode = iota // mirrors are not looked for
	ModeWatch             // mirrors are reported, and crawled as usual
	ModeOn                // of a site that is a copy only a sample of the URLs is requested
)

// String returns the word that UnmarshalText reads.
func (m Mode) String() string {
	switch m {
	case ModeOff:
		return "off"
	case ModeWatch:
		return "watch"
	case ModeOn:
		return "on"
	}
	return fmt.Sprintf("mode(%d)", uint8(m))
}

// MarshalText returns the mode's word.
func (m Mode) MarshalText() ([]byte, error) {
	if m > ModeOn {
		return nil, fmt.Errorf("mirror mode %d does not exist", uint8(m))
	}
	return []byte(m.String()), nil
}

// UnmarshalText reads "off", "watch" or "on".
func (m *Mode) UnmarshalText(b []byte) error {
	for v := ModeOff; v <= ModeOn; v++ {
		if string(b) == v.String() {
			*m = v
			return nil
		}
	}
	return fmt.Errorf("invalid mirrors mode %q: want off, watch or on", b)
}

// RefusalRule is the rule that refuses URLs which are not fetched because another site has the same
// documents.
const RefusalRule = "mirror"
