package crawl

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"gatecrawl.example/gatecrawl"
	"gatecrawl.example/gatecrawl/configs"
	"gatecrawl.example/gatecrawl/corpus"
	"gatecrawl.example/gatecrawl/durable"
	"gatecrawl.example/gatecrawl/frontier/weburl"
	"gatecrawl.example/gatecrawl/page"
	"gatecrawl.example/gatecrawl/priority"
	"gatecrawl.example/gatecrawl/priority/focus"
	"gatecrawl.example/gatecrawl/purify"
	"gatecrawl.example/gatecrawl/purify/words"
)

// TopicFile is the name of the file in a job's folder with what a focused crawl has learned about
// its topic. It can be the topic-model of another job.
const TopicFile = "topic.model"

const (
	// savedEvery is after how many learned pages the topic's model is saved. After a crash at most
	// that many pages are read again from the job.
	savedEvery = 1000

	// mostReread is how many pages are read again when a job is opened whose model is lost or was
	// made from other settings.
	mostReread = 5000
)

// A learner is the judge of a focused crawl and its file.
type learner struct {
	judge *focus.Judge
	path  string
	like  map[string]bool // URLs that are examples once they are fetched, and of what
	warn  func(error)

	mu     sync.Mutex
	fits   int // at the last save
	unread int // pages learned since
}

func (l *learner) judgeOrNil() *focus.Judge {
	if l == nil {
		return nil
	}
	return l.judge
}

// readJudge reads what the last run has learned of the topic, or makes a new judge. Nothing is written
// yet: a file that cannot be read is a fault of the settings, which are then not saved.
func (c *Crawl) readJudge() error {
	s := &c.settings
	if !s.Focused() {
		return nil
	}
	origin := originOf(s)
	judge, err := ReadJudge(filepath.Join(c.dir, TopicFile))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		c.o.Log.Warn("what was learned of the topic cannot be read, and is learned again", "err", err)
	}
	if err != nil || judge.Origin != origin {
		if judge, err = NewJudge(*s); err != nil {
			return &SettingError{Err: err}
		}
		judge.Origin = origin
		if saysNothing(s.Topic) {
			c.o.Log.Warn("all words of the topic are among the commonest of a language, and on most of its pages: name what the topic is about", "topic", s.Topic)
		}
	}
	c.judge = judge
	return nil
}

// saysNothing reports whether a topic has words, and these are stop words.
func saysNothing(topic string) bool {
	all, stop := 0, 0
	priority.Tokens(topic, func(w []byte) {
		if all++; words.IsStop(string(w)) {
			stop++
		}
	})
	return all > 0 && stop == all
}

// openJudge returns the judge of a job, nil if it has no topic: that of the last run, brought
// up to the pages that were settled since it was saved, or a new one.
func (c *Crawl) openJudge() (*learner, error) {
	s := &c.settings
	if !s.Focused() {
		return nil, nil
	}
	judge := c.judge
	l := &learner{path: filepath.Join(c.dir, TopicFile), like: make(map[string]bool), warn: func(err error) { c.o.Log.Warn("the topic's model is not saved", "err", err) }}
	for on, list := range map[bool][]string{true: s.Like, false: s.Unlike} {
		for _, name := range list {
			if u, err := weburl.Parse(name); err == nil && isURL(name) {
				l.like[u.String()] = on
			}
		}
	}
	if !s.TopicLearn {
		judge.LearnNothing()
	}
	l.judge, l.fits = judge, judge.About().Model
	if err := c.catchUp(l); err != nil {
		return nil, err
	}
	c.closing(func() error { return l.save() })
	return l, nil
}

// originOf returns a text that identifies the settings that a judge is made from.
func originOf(s *configs.Settings) string {
	return fmt.Sprintf("%x", sha256.Sum256(fmt.Appendf(nil, "%q %q %q %q", s.Topic, s.Like, s.Unlike, s.TopicModel)))
}

func isURL(name string) bool {
	return strings.HasPrefix(name, "http://") || strings.HasPrefix(name, "https://")
}

// ReadJudge reads what was learned of a topic.
func ReadJudge(path string) (*focus.Judge, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	j, err := focus.Load(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return j, nil
}

// TopicOf returns the topic of a job that no crawl works on, and has this harvest; nil if no topic is saved.
func TopicOf(dir string, h *page.Harvest) (*gatecrawl.TopicState, error) {
	judge, err := ReadJudge(filepath.Join(dir, TopicFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	s, err := SavedSettings(dir)
	if err != nil {
		s = configs.Default()
	}
	return topicState(judge, &s, h), nil
}

func topicState(judge *focus.Judge, s *configs.Settings, h *page.Harvest) *gatecrawl.TopicState {
	if h == nil {
		h = &page.Harvest{}
	}
	var unfetched []string
	for _, name := range slices.Concat(s.Like, s.Unlike) {
		if u, err := weburl.Parse(name); err == nil && isURL(name) && !judge.Labelled(u.String()) {
			unfetched = append(unfetched, u.String())
		}
	}
	return &gatecrawl.TopicState{
		Unfetched: unfetched,
		About:     judge.About(), Gaps: judge.Gaps(h.Languages), Threshold: s.FocusThreshold, StopTail: s.StopTail, StopAfter: s.StopAfterRelevant,
	}
}

// NewJudge returns the judge of the settings topic, like, unlike and topic-model.
func NewJudge(s configs.Settings) (*focus.Judge, error) {
	if s.TopicModel != "" {
		of, err := ReadJudge(s.TopicModel)
		if err != nil {
			return nil, fmt.Errorf("topic-model: %w", err)
		}
		j, err := of.Lend(s.Topic)
		if err != nil {
			return nil, fmt.Errorf("topic-model %s: %w", s.TopicModel, err)
		}
		for i, list := range [][]string{s.Unlike, s.Like} {
			docs, err := Examples(list)
			if err != nil {
				return nil, err
			}
			for _, d := range docs {
				j.Label(d, i == 1)
			}
		}
		return j, nil
	}
	like, err := Examples(s.Like)
	if err != nil {
		return nil, fmt.Errorf("like: %w", err)
	}
	unlike, err := Examples(s.Unlike)
	if err != nil {
		return nil, fmt.Errorf("unlike: %w", err)
	}
	j, err := focus.New(s.Topic, like, unlike)
	if urls := countURLs(s.Like) + countURLs(s.Unlike); err != nil && urls > 0 {
		err = fmt.Errorf("%w; of those given %d are URLs, and a URL is an example only once the crawl has fetched its page", err, urls)
	}
	return j, err
}

// countURLs counts the URLs among the names of examples.
func countURLs(names []string) (n int) {
	for _, name := range names {
		if isURL(name) {
			n++
		}
	}
	return n
}

// Examples reads the examples of a topic from pages, folders of pages, jobs that no crawl works on,
// WARC files and JSON lines. It skips URLs among the names.
func Examples(names []string) (docs []focus.Doc, err error) {
	for _, name := range names {
		if isURL(name) {
			continue
		}
		read := examplesIn
		if Exists(name) {
			read = examplesOfJob
		}
		of, err := read(name)
		if err != nil {
			return nil, err
		}
		if len(of) == 0 {
			return nil, fmt.Errorf("%s: no page with text in it; examples are pages, folders of pages and archives, jobs, WARC files, or files of JSON lines with html or text", name)
		}
		docs = append(docs, of...)
	}
	return docs, nil
}

// examplesOfJob reads the kept pages of a job that have text. Its folder has the bytes of some of them
// twice, and of error pages, in WARC files.
func examplesOfJob(dir string) (docs []focus.Doc, err error) {
	err = readRows(context.Background(), dir, func(r *gatecrawl.Row) error {
		if r.Page.Verdict != page.VerdictNew || r.View == nil {
			return nil
		}
		view, err := page.UnpackView(r.View)
		if err != nil {
			return fmt.Errorf("%s: %w", r.Page.URL, err)
		}
		if view.Title == "" && view.Body == "" {
			return nil
		}
		view.SumKeywords()
		docs = append(docs, gatecrawl.DocOf(r.Page.URL, view))
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", dir, err)
	}
	return docs, nil
}

// examplesIn reads the pages with text in a file or folder.
func examplesIn(name string) (docs []focus.Doc, err error) {
	src := corpus.Source{Names: []string{name}}
	reader := purify.Reader{}
	for p, err := range src.Pages {
		if err == nil {
			err = p.Fault
		}
		if err != nil {
			return nil, err
		}
		if len(p.Body) == 0 || p.Status >= 300 {
			continue
		}
		kind := p.Type
		if kind == "" {
			kind = "text/html"
		}
		view, _ := reader.PurifyOn(nil, p.URL, p.Body, kind)
		view.Title = cmp.Or(p.Title, view.Title)
		if view.Title == "" && view.Body == "" {
			continue
		}
		d := gatecrawl.DocOf(p.URL, view)
		if d.URL == "" {
			d.URL = fmt.Sprintf("%s:%d", p.File, p.Line)
		}
		docs = append(docs, d)
	}
	return docs, nil
}

// catchUp learns the kept pages that were settled after the judge was saved.
func (c *Crawl) catchUp(l *learner) error {
	from := l.judge.Seq() + 1
	if last := uint64(c.store.Totals().Pages); last > mostReread && from < last-mostReread {
		from = last - mostReread
	}
	ctx := context.Background()
	err := c.store.Pages(ctx, from, func(p page.Record) error {
		if p.Verdict != page.VerdictNew || p.ReplacedBy != 0 {
			return nil
		}
		view, err := c.store.View(ctx, p.URL)
		if errors.Is(err, gatecrawl.ErrUnknown) {
			return nil
		}
		if err == nil {
			l.judge.Learn(l.judge.Rate(gatecrawl.DocOf(p.URL, view)), p.Seq, p.Depth == 0)
		}
		return err
	})
	if err != nil {
		return fmt.Errorf("what the job's pages say of the topic: %w", err)
	}
	return nil
}

// learned saves the judge from time to time. d is the page that it has learned.
func (l *learner) learned(d focus.Doc) {
	if on, ok := l.like[d.URL]; ok {
		l.judge.Label(d, on)
	}
	l.mu.Lock()
	l.unread++
	due := l.unread >= savedEvery || l.judge.About().Model != l.fits
	l.mu.Unlock()
	if !due {
		return
	}
	if err := l.save(); err != nil {
		l.warn(err)
	}
}

// save writes the judge into its file.
func (l *learner) save() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.fits, l.unread = l.judge.About().Model, 0
	return WriteJudge(l.path, l.judge)
}

// WriteJudge writes a judge to a file, which is then complete or unchanged.
func WriteJudge(path string, j *focus.Judge) error {
	return durable.WriteFile(path, 0o600, func(f *os.File) error { return j.Save(f) })
}
