package mirror

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// A Survey is what is known of all sites. It is used by one goroutine.
type Survey struct {
	o       Options
	sites   map[string]*Site
	most    int // documents of a sample; falls when there are many sites
	sampled int
}

// NewSurvey returns an empty survey.
func NewSurvey(o Options) (*Survey, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	return &Survey{o: o, sites: make(map[string]*Site), most: o.Sample}, nil
}

// Site returns the site of an origin, and begins one that was not met.
func (v *Survey) Site(origin string) *Site {
	s := v.sites[origin]
	if s == nil {
		s = &Site{Origin: origin}
		v.sites[origin] = s
	}
	return s
}

// Known reports whether anything was taken of an origin.
func (v *Survey) Known(origin string) bool { return v.sites[origin] != nil }

// Locate asks for the IP address of each site; "": not known.
func (v *Survey) Locate(address func(origin string) string) {
	for origin, s := range v.sites {
		s.address = address(origin)
	}
}

// Add takes a document of a site.
func (v *Survey) Add(s *Site, d Document) {
	s.Documents++
	if d.Tokens < v.o.Tokens {
		return
	}
	v.sampled += s.sample.add(d, v.most)
	for v.sampled > v.o.Documents && v.most > 8 {
		v.most /= 2
		for _, s := range v.sites {
			v.sampled -= s.sample.cut(v.most)
		}
	}
}

// maxSites is how many sites a tail or a fingerprint may stand on and still pair
// all of them: index-all.html of every Java manual says nothing, and pairs grow
// with the square. Of a longer list only the largest site is paired with the
// others, so that a hundred mirrors of one site are still found.
const maxSites = 40

// least is the score from which two sites are candidates.
const least = 0.1

// A candidate is two sites that may be mirrors, by their places in order.
type candidate struct {
	a, b  int
	score float64
}

// survey is a Survey at rest, with its sites in a stable order.
type survey struct {
	*Survey
	order []*Site
	docs  [][]Document
	place map[string]int
	prior map[[2]int]string // pairs with evidence that needs no documents, and what it is
}

func (v *Survey) rest() *survey {
	r := &survey{Survey: v, place: make(map[string]int, len(v.sites)), prior: make(map[[2]int]string)}
	for _, origin := range slices.Sorted(maps.Keys(v.sites)) {
		r.place[origin] = len(r.order)
		r.order = append(r.order, v.sites[origin])
		r.docs = append(r.docs, v.sites[origin].sample.documents())
	}
	for i, s := range r.order {
		for _, other := range Namesakes(s.Origin) {
			if j, ok := r.place[other]; ok {
				r.note(i, j, "their names")
			}
		}
		for origin := range s.canonicals {
			if j, ok := r.place[origin]; ok {
				r.note(i, j, "canonical links")
			}
		}
		for origin := range s.redirects {
			if j, ok := r.place[origin]; ok {
				r.note(i, j, "redirects")
			}
		}
	}
	r.neighbours()
	return r
}

func (r *survey) note(i, j int, what string) {
	if i != j {
		r.prior[[2]int{min(i, j), max(i, j)}] = what
	}
}

// maxNeighbours is how many sites may be at one IP address to be candidates for it:
// strangers share the addresses of large networks.
const maxNeighbours = 8

// oneAddress is evidence that makes candidates, and decides nothing.
const oneAddress = "one IP address"

// neighbours makes candidates of the sites at one address that nothing else speaks
// for.
func (r *survey) neighbours() {
	at := make(map[string][]int)
	for i, s := range r.order {
		if s.address != "" {
			at[s.address] = append(at[s.address], i)
		}
	}
	for _, sites := range at {
		if len(sites) > maxNeighbours {
			continue
		}
		for k, i := range sites {
			for _, j := range sites[k+1:] {
				if r.prior[[2]int{i, j}] == "" {
					r.note(i, j, oneAddress)
				}
			}
		}
	}
}

// Namesakes returns the origins that differ from one in www or in the scheme.
func Namesakes(origin string) []string {
	scheme, host, _ := strings.Cut(origin, "://")
	other := "https"
	if scheme == "https" {
		other = "http"
	}
	bare := strings.TrimPrefix(host, "www.")
	var out []string
	for _, o := range []string{scheme + "://" + bare, scheme + "://www." + bare, other + "://" + bare, other + "://www." + bare} {
		if o != origin {
			out = append(out, o)
		}
	}
	return out
}

// candidates returns the pairs that share tails and fingerprints, likeliest
// first, and those with evidence of another kind.
func (r *survey) candidates() []candidate {
	lists := make(map[uint64][]int32)
	list := func(h uint64, i int) {
		if l := lists[h]; len(l) == 0 || l[len(l)-1] != int32(i) {
			lists[h] = append(l, int32(i))
		}
	}
	const prints = 0x9e3779b97f4a7c15 // keeps fingerprints apart from tails
	score := make(map[[2]int]float64)
	for _, kind := range []float64{1, 2} {
		clear(lists)
		for i, docs := range r.docs {
			for k := range docs {
				if kind == 2 {
					list(docs[k].fingerprint()*prints, i)
				} else if h, ok := tail(docs[k].Path); ok {
					list(h, i)
				}
			}
		}
		for _, l := range lists {
			r.pair(l, kind, score)
		}
	}
	for p := range r.prior {
		score[p] += 2 * least
	}
	var cs []candidate
	for p, s := range score {
		if s >= least {
			cs = append(cs, candidate{p[0], p[1], s})
		}
	}
	slices.SortFunc(cs, func(x, y candidate) int {
		return cmp.Or(cmp.Compare(y.score, x.score), cmp.Compare(x.a, y.a), cmp.Compare(x.b, y.b))
	})
	count := make([]int, len(r.order))
	return slices.DeleteFunc(cs, func(c candidate) bool {
		if _, free := r.prior[[2]int{c.a, c.b}]; !free && min(count[c.a], count[c.b]) >= r.o.Candidates {
			return true
		}
		count[c.a]++
		count[c.b]++
		return false
	})
}

// pair adds to the scores of the sites of one list.
func (r *survey) pair(l []int32, weight float64, score map[[2]int]float64) {
	share := weight / float64(len(l))
	if len(l) > maxSites {
		largest := slices.MaxFunc(l, func(a, b int32) int {
			return cmp.Or(cmp.Compare(r.order[a].Documents, r.order[b].Documents), cmp.Compare(b, a))
		})
		for _, i := range l {
			if i != largest {
				score[[2]int{int(min(i, largest)), int(max(i, largest))}] += share
			}
		}
		return
	}
	for k, i := range l {
		for _, j := range l[k+1:] {
			score[[2]int{int(i), int(j)}] += share
		}
	}
}

// Relations finds the pairs of sites of which one carries what the other has, or
// looks as if it did. A library is asked for what the sample of one site does
// not say of another. Relations whose class is None are left out.
func (v *Survey) Relations(ctx context.Context, lib Library) ([]Relation, error) {
	r := v.rest()
	held := make(map[[2]int]Relation)
	for _, c := range r.candidates() {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		rel, err := r.compare(ctx, lib, c.a, c.b)
		if err != nil {
			return nil, err
		}
		held[[2]int{c.a, c.b}] = rel
	}
	if err := r.stars(ctx, lib, held); err != nil {
		return nil, err
	}
	var out []Relation
	for _, rel := range held {
		if rel.Class != None {
			out = append(out, rel)
		}
	}
	slices.SortFunc(out, func(x, y Relation) int {
		return cmp.Or(cmp.Compare(x.A, y.A), cmp.Compare(x.B, y.B))
	})
	return out, nil
}

// Compare holds two sites against each other, whether or not anything speaks for
// it. An origin of which nothing is known is an error.
func (v *Survey) Compare(ctx context.Context, lib Library, a, b string) (Relation, error) {
	r := v.rest()
	i, ok := r.place[a]
	if !ok {
		return Relation{}, fmt.Errorf("nothing is known of %s", a)
	}
	j, ok := r.place[b]
	if !ok {
		return Relation{}, fmt.Errorf("nothing is known of %s", b)
	}
	return r.compare(ctx, lib, min(i, j), max(i, j))
}
