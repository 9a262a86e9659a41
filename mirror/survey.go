package mirror

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"gatecrawl.example/gatecrawl/frontier/weburl"
	"gatecrawl.example/gatecrawl/limit"
)

// A Survey has what is known of all sites. It must be used by one goroutine.
type Survey struct {
	o       Options
	sites   map[string]*Site
	most    int // documents in a sample; halved when there are too many in all
	sampled int
}

// NewSurvey returns an empty survey.
func NewSurvey(o Options) (*Survey, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	return &Survey{o: o, sites: make(map[string]*Site), most: o.Sample}, nil
}

// Site returns the site of an origin, and adds one that is new.
func (v *Survey) Site(origin string) *Site {
	s := v.sites[origin]
	if s == nil {
		s = &Site{Origin: origin}
		v.sites[origin] = s
	}
	return s
}

// Known reports whether the survey has the site of an origin.
func (v *Survey) Known(origin string) bool { return v.sites[origin] != nil }

// SetIPs sets the IP address of each site; "": not known.
func (v *Survey) SetIPs(address func(origin string) string) {
	for origin, s := range v.sites {
		s.ip = address(origin)
	}
}

// EachSite calls fill for each site, to set what is known besides its documents.
func (v *Survey) EachSite(fill func(*Site) error) error {
	for _, s := range v.sites {
		if err := fill(s); err != nil {
			return err
		}
	}
	return nil
}

// Add counts a document of a site, and samples it.
func (v *Survey) Add(s *Site, d Document) {
	s.Documents++
	if d.Tokens < v.o.Tokens {
		return
	}
	v.sampled += s.sample.add(d, v.most)
	for v.sampled > v.o.Documents && v.most > 8 {
		v.shorten(v.most / 2)
	}
}

// shorten makes samples of at most so many documents.
func (v *Survey) shorten(most int) {
	if most >= v.most {
		return
	}
	v.most = most
	for _, s := range v.sites {
		v.sampled -= s.sample.cut(most)
	}
}

// maxSites is on how many sites a tail or a fingerprint may be and still pair all of
// them: the index-all.html of every Java manual says nothing, and the number of pairs
// grows with the square. From a longer list only the largest site is paired with the
// others, so that a hundred mirrors of one site are still found.
const maxSites = 40

// least is the score from which two sites are candidates.
const least = 0.1

// A candidate is two sites that may be mirrors, by their indexes in order.
type candidate struct {
	a, b  int
	score float64
}

// analysis is a survey that does not change any more, with its sites in a stable order.
type analysis struct {
	*Survey
	order []*Site
	docs  [][]Document
	place map[string]int
	prior map[[2]int]string // evidence for a pair other than documents

	centre []int // the canonical site of each site's group; the site itself if it is in none
}

func (v *Survey) analyze() *analysis {
	r := &analysis{Survey: v, place: make(map[string]int, len(v.sites)), prior: make(map[[2]int]string)}
	for _, origin := range slices.Sorted(maps.Keys(v.sites)) {
		r.place[origin] = len(r.order)
		r.order = append(r.order, v.sites[origin])
		r.docs = append(r.docs, v.sites[origin].sample.documents())
	}
	for i, s := range r.order {
		r.centre = append(r.centre, i)
		for _, other := range Namesakes(s.Origin) {
			if j, ok := r.place[other]; ok {
				r.addEvidence(i, j, "their names")
			}
		}
		for origin := range s.canonicals {
			if j, ok := r.place[origin]; ok {
				r.addEvidence(i, j, "canonical links")
			}
		}
		for origin := range s.redirects {
			if j, ok := r.place[origin]; ok {
				r.addEvidence(i, j, "redirects")
			}
		}
	}
	r.addSitesOfOneIP()
	return r
}

func (r *analysis) addEvidence(i, j int, what string) {
	if i != j {
		r.prior[pairOf(i, j)] = what
	}
}

// maxSitesPerIP is how many sites may share an IP address and be candidates for that:
// large networks serve many owners from one address.
const maxSitesPerIP = 8

// oneIP is evidence that makes candidates and decides nothing.
const oneIP = "one IP address"

// addSitesOfOneIP makes candidates of the sites at one IP address that have no other evidence.
func (r *analysis) addSitesOfOneIP() {
	at := make(map[string][]int)
	for i, s := range r.order {
		if s.ip != "" {
			at[s.ip] = append(at[s.ip], i)
		}
	}
	for _, sites := range at {
		if len(sites) > maxSitesPerIP {
			continue
		}
		for k, i := range sites {
			for _, j := range sites[k+1:] {
				if r.prior[[2]int{i, j}] == "" {
					r.addEvidence(i, j, oneIP)
				}
			}
		}
	}
}

// Namesakes returns the origins that differ from this one in www or in the scheme.
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

// candidates returns the pairs that share tails or fingerprints, the likeliest first, and
// those with other evidence.
func (r *analysis) candidates() []candidate {
	lists := make(map[uint64][]int32)
	list := func(h uint64, i int) {
		if l := lists[h]; len(l) == 0 || l[len(l)-1] != int32(i) {
			lists[h] = append(l, int32(i))
		}
	}
	const prints = 0x9e3779b97f4a7c15 // so that a fingerprint is never equal to a tail
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

// pair adds the sites of one list to the scores.
func (r *analysis) pair(l []int32, weight float64, score map[[2]int]float64) {
	share := weight / float64(len(l))
	if len(l) > maxSites {
		largest := slices.MaxFunc(l, func(a, b int32) int {
			return cmp.Or(cmp.Compare(r.order[a].Documents, r.order[b].Documents), cmp.Compare(b, a))
		})
		for _, i := range l {
			if i != largest {
				score[pairOf(int(i), int(largest))] += share
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

// Relations finds the pairs of sites of which one has what the other has, or seems to have it.
// The library is asked about documents that are not in a sample. From a group of mirrors only
// the relations of its canonical site are returned; relations of class None are left out.
func (v *Survey) Relations(ctx context.Context, lib Library) ([]Relation, error) {
	r := v.analyze()
	held := make(map[[2]int]Relation)
	for _, c := range r.candidates() {
		if err := limit.Rest(ctx); err != nil {
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
	r.settle(held)
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

// Compare compares two sites, whether or not there is any evidence. An unknown origin is
// an error.
func (v *Survey) Compare(ctx context.Context, lib Library, a, b string) (Relation, error) {
	r := v.analyze()
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

// Find returns the origin of the site that a user means by an origin or a host: of http and https
// the one with more documents. ok is false if the survey has none.
func (v *Survey) Find(name string) (origin string, ok bool, err error) {
	names := []string{"https://" + name, "http://" + name}
	if strings.Contains(name, "://") {
		names = []string{name}
	}
	for _, n := range names {
		u, err := weburl.Parse(n)
		if err != nil {
			return "", false, err
		}
		if s := v.sites[u.Origin()]; s != nil && (!ok || s.Documents > v.sites[origin].Documents) {
			origin, ok = u.Origin(), true
		}
	}
	return origin, ok, nil
}
