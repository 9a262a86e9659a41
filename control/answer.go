package control

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"

	"gatecrawl.example/gatecrawl"
	"gatecrawl.example/gatecrawl/dedup"
	"gatecrawl.example/gatecrawl/frontier"
	"gatecrawl.example/gatecrawl/frontier/weburl"
	"gatecrawl.example/gatecrawl/mirror"
	"gatecrawl.example/gatecrawl/mirror/dust"
	"gatecrawl.example/gatecrawl/mirror/linkrot"
	"gatecrawl.example/gatecrawl/page"
	"gatecrawl.example/gatecrawl/report"
)

// errNoQuestion says that no verb has this name.
var errNoQuestion = errors.New("there is no question")

// Answer writes the answer to a question as JSON lines. The error is gatecrawl.ErrUnknown if the
// job does not know the page or host that the question is about.
func Answer(ctx context.Context, in gatecrawl.Inspector, q Question, w io.Writer) error {
	enc := encoder(w)
	switch q.Verb {
	case "status":
		s, err := in.Status(ctx)
		return put(enc, s, err)
	case "pages":
		return answerPages(ctx, in, q, enc)
	case "dups":
		return limited(q.Limit, enc, func(more func(any) error) error {
			return in.Groups(ctx, gatecrawl.GroupQuery{From: q.From, Limit: q.Limit}, func(g gatecrawl.Group) error { return more(g) })
		})
	case "mirrors":
		return limited(q.Limit, enc, func(more func(any) error) error {
			lines, err := Mirrors(ctx, in)
			if err != nil {
				return err
			}
			for _, l := range lines {
				if err := more(l); err != nil {
					return err
				}
			}
			return nil
		})
	case "mirror":
		pair, err := in.Pair(ctx, q.URL, q.Other)
		return put(enc, pair, err)
	case "rules":
		return in.Rules(ctx, func(r dust.Learned) error { return enc.Encode(r) })
	case "rule":
		u, err := weburl.Parse(q.URL)
		if err != nil {
			return err
		}
		explained, err := in.Explain(ctx, u)
		return put(enc, explained, err)
	case "why":
		why, err := in.Why(ctx, q.URL)
		return put(enc, why, err)
	case "view":
		return answerView(ctx, in, q, enc)
	case "body":
		return answerBody(ctx, in, q, enc)
	case "views":
		return answerViews(ctx, in, enc)
	case "rows":
		want, err := wantedBy(q)
		if err != nil {
			return badRequest{err}
		}
		return in.Rows(ctx, want, func(r *gatecrawl.Row) error { return enc.Encode(r) })
	case "list":
		return answerList(ctx, in, q, enc)
	case "refused":
		return answerRefused(ctx, in, q, enc)
	case "report":
		r, err := report.Gather(ctx, in)
		return put(enc, r, err)
	case "linksto":
		return limited(q.Limit, enc, func(more func(any) error) error {
			return in.LinksTo(ctx, strings.Split(q.URL, "\n"), func(e gatecrawl.Edge) error { return more(e) })
		})
	case "linksfrom":
		return limited(q.Limit, enc, func(more func(any) error) error {
			return in.LinksFrom(ctx, q.URL, func(e gatecrawl.Edge) error { return more(e) })
		})
	case "alive":
		return answerAlive(ctx, in, q, enc)
	case "near":
		return answerNear(ctx, in, q, enc)
	case "fold":
		return newDescriber(false).answerFold(ctx, in, q, enc)
	case "hosts":
		return answerHosts(ctx, in, q, enc)
	case "queue":
		if q.Parts != "" && q.Parts != partURLs {
			return badRequest{fmt.Errorf("parts: there is no part %q of the queue: want %s", q.Parts, partURLs)}
		}
		waiting, err := in.Waiting(ctx, gatecrawl.WaitingQuery{Sample: cmp.Or(q.Limit, queueSample), List: q.Parts == partURLs})
		return put(enc, waiting, err)
	case "roots":
		roots, err := in.Roots()
		if err != nil {
			return err
		}
		for _, u := range roots {
			if err := enc.Encode(RootLine{u.String()}); err != nil {
				return err
			}
		}
		return nil
	case "live":
		return ErrNotRunning
	case "check":
		v, err := in.Verify(ctx, func(b gatecrawl.Breach) error { return enc.Encode(b) })
		return put(enc, v, err)
	}
	return fmt.Errorf("%w %q: ask one of %s", errNoQuestion, "/"+q.Verb, strings.Join(Verbs, ", "))
}

// A RootLine is a root of the crawl's scope: a URL that belongs to it, with what leads from there.
type RootLine struct {
	URL string `json:"url"`
}

// queueSample is how many URLs of the queue are looked at.
const queueSample = 5000

func encoder(w io.Writer) *json.Encoder {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	return enc
}

func answerHosts(ctx context.Context, in gatecrawl.HostLister, q Question, enc *json.Encoder) error {
	by, err := frontier.ParseHostOrder(q.By)
	if err != nil {
		return badRequest{err}
	}
	query := gatecrawl.HostQuery{By: by, Skip: int(min(max(q.From, 1)-1, math.MaxInt32)), Limit: q.Limit}
	if q.URL != "" {
		query.Names = strings.Split(q.URL, "\n")
	}
	hosts, err := in.Hosts(ctx, query)
	for _, h := range hosts {
		if err := enc.Encode(h); err != nil {
			return err
		}
	}
	return err
}

func put(enc *json.Encoder, v any, err error) error {
	if err != nil {
		return err
	}
	return enc.Encode(v)
}

var errEnough = errors.New("enough")

// limited encodes the values that each produces; at most limit values if limit is above 0.
func limited(limit int, enc *json.Encoder, each func(more func(any) error) error) error {
	n := 0
	err := each(func(v any) error {
		if err := enc.Encode(v); err != nil {
			return err
		}
		if n++; n == limit {
			return errEnough
		}
		return nil
	})
	if errors.Is(err, errEnough) {
		return nil
	}
	return err
}

func answerPages(ctx context.Context, in gatecrawl.RecordReader, q Question, enc *json.Encoder) error {
	kind := q.kind()
	if err := kind.Validate(); err != nil {
		return badRequest{err}
	}
	return limited(q.Limit, enc, func(more func(any) error) error {
		if q.kind() == (page.Kind{}) {
			return in.Pages(ctx, max(q.From, 1), func(p page.Record) error { return more(p) })
		}
		const most = 1000 // records that are in memory at once
		want := gatecrawl.Find{Kind: q.kind(), From: max(q.From, 1), Limit: most, Look: math.MaxInt, Whole: true}
		if q.Limit > 0 {
			want.Limit = min(most, q.Limit)
		}
		for want.From > 0 {
			found, err := in.Find(ctx, want)
			if err != nil {
				return err
			}
			for _, p := range found.Records {
				if err := more(p); err != nil {
					return err
				}
			}
			want.From = found.Next
		}
		return nil
	})
}

// answerRefused answers with the URLs that a rule refused.
func answerRefused(ctx context.Context, in gatecrawl.RecordReader, q Question, enc *json.Encoder) error {
	return limited(q.Limit, enc, func(more func(any) error) error {
		const most = 1000 // URLs that are in memory at once
		want := gatecrawl.RefusedQuery{Rule: q.Rule, Limit: most, Look: math.MaxInt}
		if q.Limit > 0 {
			want.Limit = min(most, q.Limit)
		}
		for {
			found, err := in.Refused(ctx, want)
			if err != nil {
				return err
			}
			for _, u := range found.URLs {
				if err := more(u); err != nil {
					return err
				}
			}
			if want.From = found.Next; want.From == "" {
				return nil
			}
		}
	})
}

// answerViews answers with the DocViews of all kept pages.
func answerViews(ctx context.Context, in gatecrawl.RecordReader, enc *json.Encoder) error {
	return in.Pages(ctx, 1, func(p page.Record) error {
		if p.Verdict != page.VerdictNew || p.ReplacedBy != 0 {
			return nil
		}
		view, err := in.View(ctx, p.URL)
		if errors.Is(err, gatecrawl.ErrUnknown) {
			return nil // no document, or one without text
		}
		return put(enc, view, err)
	})
}

// A MirrorLine is a group of sites, or a pair of hosts that are not in one group.
type MirrorLine struct {
	*mirror.Group
	*mirror.Pair
}

// Mirrors returns the groups of sites that are copies, and then the pairs of hosts that are in no
// group.
func Mirrors(ctx context.Context, in gatecrawl.CopyFinder) ([]MirrorLine, error) {
	pairs, err := in.Pairs(ctx)
	if err != nil {
		return nil, err
	}
	return MirrorLines(mirror.Gather(pairs)), nil
}

// MirrorLines returns the groups of a report, then its pairs.
func MirrorLines(r mirror.Report) (lines []MirrorLine) {
	for i := range r.Groups {
		lines = append(lines, MirrorLine{Group: &r.Groups[i]})
	}
	for i := range r.Pairs {
		lines = append(lines, MirrorLine{Pair: &r.Pairs[i]})
	}
	return lines
}

// MarshalJSON writes the group or the pair, whichever is set.
func (l MirrorLine) MarshalJSON() ([]byte, error) {
	if l.Group != nil {
		return json.Marshal(l.Group)
	}
	return json.Marshal(l.Pair)
}

// UnmarshalJSON recognizes a group by its members.
func (l *MirrorLine) UnmarshalJSON(b []byte) error {
	var group mirror.Group
	if err := json.Unmarshal(b, &group); err == nil && group.Members != nil {
		l.Group = &group
		return nil
	}
	l.Pair = new(mirror.Pair)
	return json.Unmarshal(b, l.Pair)
}

// A LostPage is what a job answers about a URL whose page may be gone.
type LostPage struct {
	linkrot.Lost
	Unknown bool `json:"unknown,omitempty"` // the job has never met the URL
}

// answerAlive answers with what the job knows, a line for each line of the question.
func answerAlive(ctx context.Context, in gatecrawl.CopyFinder, q Question, enc *json.Encoder) error {
	for line := range strings.Lines(q.URL) {
		url := strings.TrimSuffix(line, "\n")
		lost, err := in.Alive(ctx, url)
		l := LostPage{Lost: lost}
		if errors.Is(err, gatecrawl.ErrUnknown) {
			l.URL, l.Unknown, err = url, true, nil
		}
		if err := put(enc, l, err); err != nil {
			return err
		}
	}
	return nil
}

// A Page is a page that the job does not know, in a question near.
type Page struct {
	Sign dedup.Signature `json:"sign"`
	View []byte          `json:"view"` // as page.PackView writes it; the job removes what its hosts repeat
}

// answerNear answers for a page of the job, or for the page that the question has.
func answerNear(ctx context.Context, in gatecrawl.CopyFinder, q Question, enc *json.Encoder) error {
	members, err := near(ctx, in, q)
	if err != nil {
		return err
	}
	for _, m := range members {
		if err := enc.Encode(m); err != nil {
			return err
		}
	}
	return nil
}

func near(ctx context.Context, in gatecrawl.CopyFinder, q Question) ([]gatecrawl.Member, error) {
	if q.Parts != "" && q.Parts != PartApart {
		return nil, badRequest{fmt.Errorf("parts: there is no part %q of what is near a page: want %s", q.Parts, PartApart)}
	}
	want := gatecrawl.NearQuery{Limit: q.Limit, Apart: q.Parts == PartApart}
	if q.Page == "" && q.URL == "" {
		return nil, badRequest{errors.New("url is missing, or the page as another process of this program writes it")}
	}
	if q.Page == "" {
		return in.NearPage(ctx, q.URL, want)
	}
	p, err := parsePage(q.Page)
	if err != nil {
		return nil, badRequest{err}
	}
	text, err := page.UnpackText(p.View)
	if err != nil {
		return nil, badRequest{fmt.Errorf("page: %w", err)}
	}
	return in.Near(ctx, p.Sign, &text, want)
}

// parsePage decodes a Page that another process of this program has written.
func parsePage(text string) (p Page, err error) {
	dec := json.NewDecoder(strings.NewReader(text))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&p); err != nil {
		return p, fmt.Errorf("page: not a signature and a text of this version: %w", err)
	}
	if _, err := dec.Token(); err != io.EOF {
		return p, errors.New("page: want one, got more")
	}
	return p, nil
}
