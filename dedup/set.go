package dedup

import (
	"sync"
)

// A Set is a gate over texts in memory: it tells whether a text is a copy of one that was added
// before, and of which. All methods may be called from many goroutines.
//
// It keeps the new texts, to compare them word by word where the signatures are not certain. A kept
// text takes some 950 bytes in addition to itself and its ID; a copy takes nothing. A million texts
// of 2 kB take about 3 GB. There is no limit.
type Set struct {
	gate *Gate
	kept keptTexts

	mu sync.Mutex // adds one text at a time, since the gate needs rising numbers
}

// A Match is a Set's answer for one text. The zero Match is "new".
type Match struct {
	Of         string  // the ID of the kept text that this one is a copy of
	Level      Level   // what decided: LevelBytes, LevelBody (the same words) or LevelNear; 0: it is new
	Class      Class   // FullLayout, or PartialLayout for a near copy; texts from TextOf may have another layout
	Distance   int     // bits of 64 in which the SimHashes differ
	Similarity float64 // the share of three-word runs that both texts have, 0 to 1; 1 for the same words
}

// Copy reports whether the text is a copy of a kept one.
func (m Match) Copy() bool { return m.Level != 0 }

// NewSet returns an empty set. Options.Recent and Memory have no effect: everything is in memory.
// With ModeOff no text is a copy and none is kept; the other modes are the same here. NewSet panics
// if Options.Validate returns an error.
func NewSet(o Options) *Set {
	s := new(Set)
	gate, err := NewGate(o, &s.kept)
	if err != nil {
		panic(err)
	}
	s.gate = gate
	return s
}

// Add returns the kept text that the given one is a copy of, or keeps the text under the ID, in one
// step. IDs need not be unique.
func (s *Set) Add(id, text string) Match { return s.AddText(id, Text{Body: text}) }

// Check is Add without keeping the text.
func (s *Set) Check(text string) Match { return s.CheckText(Text{Body: text}) }

// AddText is Add for a text with a title and more, such as a page, for which TextOf makes it.
// Titles tell texts of one form apart, such as two products with their prices.
func (s *Set) AddText(id string, t Text) Match {
	if s.gate.o.Mode == ModeOff {
		return Match{}
	}
	sig := t.signWhole()
	s.mu.Lock()
	defer s.mu.Unlock()
	doc := s.kept.push(id, sig, t)
	v, err := s.claim(doc, sig, &t)
	if v.Copy() {
		s.kept.pop() // the next text gets its number
	}
	return s.match(v, err)
}

// CheckText is AddText without keeping the text.
func (s *Set) CheckText(t Text) Match { return s.match(s.gate.Check(t.signWhole(), &t)) }

// claim is Gate.Claim without the record of recent claims, since no text is claimed twice.
func (s *Set) claim(doc DocID, sig Signature, t *Text) (Verdict, error) {
	s.gate.mu.Lock()
	defer s.gate.mu.Unlock()
	return s.gate.claim(doc, sig, t)
}

// Len returns how many texts are kept.
func (s *Set) Len() int { return s.kept.len() }

// match returns the verdict as a Match. It panics on an error: tables and texts in memory do not
// fail.
func (s *Set) match(v Verdict, err error) Match {
	if err != nil {
		panic("a set in memory fails: " + err.Error())
	}
	if !v.Copy() {
		return Match{}
	}
	return Match{Of: s.kept.id(DocID(v.Of)), Level: v.Level, Class: v.Class, Distance: v.Distance, Similarity: v.Similarity}
}

// signWhole is Sign with a digest of all that is compared: texts that are too short for other
// comparisons are copies if they are the same.
func (t *Text) signWhole() Signature {
	sig := t.Sign()
	sig.Bytes = DigestOf([]byte(t.Title + "\x00" + t.Body))
	return sig
}

// keptTexts has the texts that a set keeps, numbered from 1. The set's gate reads signatures and
// texts from it.
type keptTexts struct {
	mu    sync.RWMutex
	n     int
	texts [][]keptText // slices of textsPart each, so that growing never copies them
}

const textsPart = 1024

type keptText struct {
	id   string
	sig  Signature
	text Text // without what the gate made of it, which is larger than the text
}

// push adds a text. The caller asks the gate afterwards, since another goroutine that finds the
// text in the gate's tables reads it here.
func (l *keptTexts) push(id string, sig Signature, t Text) DocID {
	t.made, t.asked, t.near, t.cut, t.joined = nil, nil, nil, nil, nil
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.n == len(l.texts)*textsPart {
		l.texts = append(l.texts, make([]keptText, textsPart))
	}
	l.texts[l.n/textsPart][l.n%textsPart] = keptText{id, sig, t}
	l.n++
	return DocID(l.n)
}

// pop removes the last text, which was a copy.
func (l *keptTexts) pop() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.n--
	l.texts[l.n/textsPart][l.n%textsPart] = keptText{}
}

func (l *keptTexts) at(doc DocID) keptText {
	l.mu.RLock()
	defer l.mu.RUnlock()
	i := int(doc - 1)
	return l.texts[i/textsPart][i%textsPart]
}

func (l *keptTexts) id(doc DocID) string { return l.at(doc).id }

func (l *keptTexts) len() int {
	l.mu.RLock()
	defer l.mu.RUnlock()
	return l.n
}

// Signature implements Signatures.
func (l *keptTexts) Signature(doc DocID) (Signature, error) { return l.at(doc).sig, nil }

// Text implements Texts.
func (l *keptTexts) Text(doc DocID) (Text, bool, error) { return l.at(doc).text, true, nil }

var _ Texts = (*keptTexts)(nil)
