package blocks

import (
	"gatecrawl.example/gatecrawl/purify/internal/reuse"
	"gatecrawl.example/gatecrawl/purify/markup"
	"gatecrawl.example/gatecrawl/splitmix"
)

// A shape gathers the tag skeleton of a page: the distinct paths of three
// containers, each with its classes. A template gives the same paths to all of
// its pages, however long their texts are, so the paths are a set and not
// counted.
type shape struct {
	seen  map[uint32]struct{}
	ones  [64]int32
	count int32
}

const maxPaths = 4096 // distinct paths of a page

func (s *shape) reset() {
	*s = shape{seen: reuse.Map(s.seen)}
}

// add takes in a container and returns its sign: a hash of its tag, its
// classes without digits, and its parent's.
func (s *shape) add(l *markup.Lexer, parent uint32) uint32 {
	own := fnv32(fnvBasis, []byte{byte(l.Tag)})
	own = (own ^ nameHash(l)) * 16777619
	if l.Tag != markup.TagBody && l.Tag != markup.TagHtml {
		if class, ok := l.Attr("class"); ok {
			own = hashLetters(own, class)
		}
	}
	// Half of the parent's bits are its own, half its parent's.
	path := own&0xffff | (parent&0xffff)<<16
	full := (own ^ parent*2654435761) * 16777619
	if _, ok := s.seen[full]; ok || len(s.seen) >= maxPaths {
		return path
	}
	s.seen[full] = struct{}{}
	h := splitmix.Mix(uint64(full))
	for i := range s.ones {
		s.ones[i] += int32(h >> i & 1)
	}
	s.count++
	return path
}

// hashLetters hashes what is the same on all pages of a template: post-4711 is
// post-.
func hashLetters(h uint32, name []byte) uint32 {
	for _, c := range name {
		if c < '0' || c > '9' {
			h = (h ^ uint32(c)) * 16777619
		}
	}
	return h
}

// layout returns the SimHash of the paths (Charikar 2002): each bit is what
// most of the paths' hashes have there. A page without containers has 0.
func (s *shape) layout() uint64 {
	var sum uint64
	for i, n := range s.ones {
		if 2*n > s.count {
			sum |= 1 << i
		}
	}
	return sum
}
