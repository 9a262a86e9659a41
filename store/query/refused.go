package query

import (
	"bytes"
	"context"
	"encoding/hex"
	"fmt"

	"gatecrawl.example/gatecrawl"
	"gatecrawl.example/gatecrawl/frontier/queue"
	"gatecrawl.example/gatecrawl/frontier/weburl"
	"gatecrawl.example/gatecrawl/page"
	"gatecrawl.example/gatecrawl/store/job"
)

// Refused implements gatecrawl.RecordReader.
func (q *Reader) Refused(ctx context.Context, want gatecrawl.RefusedQuery) (found gatecrawl.Refused, err error) {
	next, err := want.Key()
	if err != nil {
		return found, err
	}
	r := refusals{q: q, want: want, kind: page.Kind{Verdict: page.VerdictRefused, Rule: want.Rule}, urls: make(map[weburl.Key]string)}
	for next != nil {
		if err := ctx.Err(); err != nil {
			return found, err
		}
		if next, err = r.look(next, &found); err != nil {
			return found, fmt.Errorf("refused urls: %w", err)
		}
	}
	return found, nil
}

// refusals is a search for refused URLs.
type refusals struct {
	q    *Reader
	want gatecrawl.RefusedQuery
	kind page.Kind
	urls map[weburl.Key]string // of pages where URLs were found
}

// look searches URLs from a key on, in one transaction. It returns the key where to go on, nil at
// the end.
func (r *refusals) look(from []byte, found *gatecrawl.Refused) (next []byte, err error) {
	err = r.q.look(func(in job.Snapshot) error {
		n := 0
		for e, err := range in.Scan(queue.TableURLs, from, nil) {
			if err != nil {
				return err
			}
			if len(found.URLs) == r.want.Limit || found.Looked == r.want.Look {
				found.Next = hex.EncodeToString(e.Key)
				return nil
			}
			if n == chunk {
				next = bytes.Clone(e.Key)
				return nil
			}
			n++
			found.Looked++
			if err := r.add(in, e.Value, found); err != nil {
				return err
			}
		}
		return nil
	})
	return next, err
}

// add adds a URL if it is refused by the rule.
func (r *refusals) add(in job.Snapshot, value []byte, found *gatecrawl.Refused) error {
	rec, err := queue.Decode(value)
	if err != nil {
		return err
	}
	u := gatecrawl.RefusedURL{URL: rec.URL, Rule: rec.Refusal.Rule, Detail: rec.Refusal.Detail}
	switch {
	case rec.State == queue.Refused:
		if r.want.Rule != "" && u.Rule != r.want.Rule {
			return nil
		}
	case rec.Page == 0:
		return nil
	default:
		value, err := in.Get(page.TableRecords, page.Key(rec.Page))
		if err != nil || value == nil {
			return err
		}
		if is, err := r.kind.IsEncoded(value); err != nil || !is {
			return err
		}
		p, _, err := in.Page(rec.Page)
		if err != nil {
			return err
		}
		u.Rule, u.Detail, u.Page = p.Rule, p.Reason, p.Seq
	}
	if u.From, err = r.foundOn(in, rec.From); err != nil {
		return err
	}
	found.URLs = append(found.URLs, u)
	return nil
}

// foundOn returns the URL of a key; "" for the zero key, or if the URL is not known.
func (r *refusals) foundOn(in job.Snapshot, k weburl.Key) (string, error) {
	if k.IsZero() {
		return "", nil
	}
	if url, known := r.urls[k]; known {
		return url, nil
	}
	rec, _, err := in.URL(k)
	url := rec.URL
	if err == nil && url == "" {
		url, err = r.q.job.Elsewhere(k[:])
	}
	r.urls[k] = url
	return url, err
}
