package store

import (
	"context"
	"fmt"
	"math"

	"gatecrawl.example/gatecrawl/dedup"
	"gatecrawl.example/gatecrawl/frontier/weburl"
	"gatecrawl.example/gatecrawl/page"
	"gatecrawl.example/gatecrawl/purify"
	"gatecrawl.example/gatecrawl/store/job"
	"gatecrawl.example/gatecrawl/store/kv"
)

// ratedAtOnce is how many records Rerate reads from one snapshot. What changes of them is written in one
// transaction.
const ratedAtOnce = 1000

// Rerate implements gatecrawl.Store. A page whose relevance changes by less than what its two printed digits show
// is not written, unless it crosses the threshold.
func (s *Store) Rerate(ctx context.Context, by uint64, keep bool, rate func(url string, view *purify.DocView) float32) error {
	if !s.priority.Focused || s.readOnly {
		return nil
	}
	s.stateMu.Lock()
	rated := s.state.Rated
	s.stateMu.Unlock()
	now := job.Rated{By: by}
	if keep {
		now.Kept = s.onTopic
	}
	from, last := uint64(1), uint64(0)
	if rated.By == by && rated.Kept == now.Kept {
		from = rated.To + 1
	}
	err := s.look(func(in snapshot) (err error) {
		last, err = job.LastPage.Get(in)
		return err
	})
	if err == nil && from <= last {
		err = s.rateAgain(ctx, from, last, now.Kept, rate)
	}
	switch {
	case ctx.Err() != nil:
		return nil // the next call rates all of them
	case err != nil:
		return fmt.Errorf("rate pages again: %w", err)
	case from > last:
		return nil
	}
	now.To = last
	if err := s.countHarvest(now); err != nil {
		return fmt.Errorf("count the harvest again: %w", err)
	}
	return nil
}

// rateAgain rates the kept pages from one number to another, marks those below the relevance from which pages are kept, and then
// gives all copies there the relevance of their kept pages.
func (s *Store) rateAgain(ctx context.Context, from, last uint64, kept float64, rate func(url string, view *purify.DocView) float32) error {
	for _, copies := range []bool{false, true} {
		for next := from; next <= last && ctx.Err() == nil; {
			var now map[uint64]float32
			var err error
			if now, next, err = s.ratings(ctx, next, last, kept, copies, rate); err != nil {
				return err
			}
			if len(now) == 0 {
				continue
			}
			err = s.write(func(t *txn) error {
				for seq, r := range now {
					if err := t.setRelevance(seq, r, kept); err != nil {
						return err
					}
				}
				return nil
			})
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// ratings returns the relevance of those of the next pages whose record has another one or another mark, and the number of the page
// after them.
func (s *Store) ratings(ctx context.Context, from, last uint64, kept float64, copies bool, rate func(url string, view *purify.DocView) float32) (now map[uint64]float32, next uint64, err error) {
	now, next = make(map[uint64]float32), last+1
	read := 0
	err = s.look(func(in snapshot) error {
		for e, err := range in.Scan(tablePages, seqKey(from), seqKey(last+1)) {
			if err != nil {
				return err
			}
			seq := seqOf(e.Key)
			if read++; read > ratedAtOnce || ctx.Err() != nil {
				next = seq
				return nil
			}
			p, v, err := decodePage(e.Value)
			if err != nil {
				return fmt.Errorf("page %d: %w", seq, err)
			}
			if p.ReplacedBy != 0 || v.Copy() != copies || !copies && p.Verdict != page.VerdictNew {
				continue
			}
			r, rated, err := s.ratingOf(in, seq, &p, v, rate)
			if err != nil {
				return err
			}
			if rated && (s.differ(p.Relevance, r) || p.OffTopic != offTopic(&p, r, kept)) {
				now[seq] = r
			}
		}
		return nil
	})
	return now, next, err
}

// ratingOf returns the relevance of a kept page by its stored text, and of a copy that of its kept page; false if neither is here.
func (s *Store) ratingOf(in snapshot, seq uint64, p *page.Record, v dedup.Verdict, rate func(url string, view *purify.DocView) float32) (float32, bool, error) {
	if v.Copy() {
		if !s.owns(uint64(v.Of)) {
			return 0, false, nil
		}
		kept, _, err := in.Page(uint64(v.Of))
		return kept.Relevance, err == nil, err
	}
	view, err := s.archive.View(in, seq)
	if err != nil || view == nil {
		return 0, false, err
	}
	view.SumKeywords()
	return rate(p.URL, view), true, nil
}

// differ reports whether a relevance is printed in another way than before, or is on the other side of the threshold.
func (s *Store) differ(was, now float32) bool {
	return math.Round(100*float64(was)) != math.Round(100*float64(now)) || (float64(was) >= s.onTopic) != (float64(now) >= s.onTopic)
}

// offTopic reports whether a page with a relevance is kept though it is below the one from which pages are kept.
func offTopic(p *page.Record, r float32, kept float64) bool {
	return p.Verdict == page.VerdictNew && float64(r) < kept
}

// setRelevance sets the relevance of a page that is still kept or a copy, its mark, and what it adds to the relevance of its host.
func (t *txn) setRelevance(seq uint64, r float32, kept float64) error {
	p, v, err := t.page(seq)
	if err != nil || !p.Document() || p.ReplacedBy != 0 {
		return err
	}
	if p.Verdict == page.VerdictNew && p.Status != 0 {
		u, err := weburl.Parse(p.URL)
		if err != nil {
			return fmt.Errorf("page %d: %w", seq, err)
		}
		t.queue.CorrectRated(u, r-p.Relevance)
	}
	p.Relevance, p.OffTopic = r, offTopic(&p, r, kept)
	t.putPage(seq, &p, v)
	return nil
}

// recountHarvest counts the harvest again if an earlier run counted it by another threshold, or an earlier version without the
// languages.
func (s *Store) recountHarvest() error {
	h := s.state.Totals.Harvest
	if !s.priority.Focused || h == nil || h.From == s.onTopic && h.Languages != nil {
		return nil
	}
	if err := s.countHarvest(s.state.Rated); err != nil {
		return fmt.Errorf("count the harvest again: %w", err)
	}
	return nil
}

// countHarvest counts the harvest by what the records say now, and stores how they are rated. A URL counts where it was
// answered first, with the relevance of its latest version.
func (s *Store) countHarvest(by job.Rated) error {
	var h page.Harvest
	var recent page.Recent
	on := int64(0)
	err := s.look(func(in snapshot) error {
		later := make(map[uint64]bool) // versions that replace others
		return kv.Each(in, tablePages, func(k, b []byte) error {
			p, _, err := decodePage(b)
			if err != nil {
				return fmt.Errorf("page %d: %w", seqOf(k), err)
			}
			if p.ReplacedBy != 0 {
				later[p.ReplacedBy] = true
			}
			if p.Status == 0 || later[seqOf(k)] {
				return nil
			}
			for p.ReplacedBy != 0 {
				if p, _, err = in.Page(p.ReplacedBy); err != nil {
					return err
				}
			}
			gain := 0.
			if p.Verdict == page.VerdictNew || p.Rule == "topic" {
				gain = float64(p.Relevance)
				h.AddDocument(p.Lang)
			}
			if gain >= s.onTopic {
				on++
			}
			h.Add(&recent, gain, s.onTopic)
			return nil
		})
	})
	if err != nil {
		return err
	}
	return s.write(func(t *txn) error {
		if t.state.Rated = by; h.Answers > 0 {
			t.state.Totals.Harvest, t.state.Recent = &h, recent
			h.OnTopic = on
		}
		return nil
	})
}
