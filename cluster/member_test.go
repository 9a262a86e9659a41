package cluster

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"gatecrawl.example/gatecrawl"
	"gatecrawl.example/gatecrawl/cluster/engine"
	"gatecrawl.example/gatecrawl/cluster/engine/mem"
	"gatecrawl.example/gatecrawl/cluster/internal/rpc"
	"gatecrawl.example/gatecrawl/cluster/jetstream"
	"gatecrawl.example/gatecrawl/dedup"
	"gatecrawl.example/gatecrawl/frontier"
	"gatecrawl.example/gatecrawl/frontier/weburl"
	"gatecrawl.example/gatecrawl/page"
	"gatecrawl.example/gatecrawl/purify"
	"gatecrawl.example/gatecrawl/store"
	"gatecrawl.example/gatecrawl/store/suite"
	"gatecrawl.example/gatecrawl/testserver/slow"
)

// Members are the processes of a job, each with a partition and the first with the gate too,
// and what the tests ask of all of them: whoever has a URL answers for it.
type members struct {
	gatecrawl.Inspector // of whoever asks from outside
	all                 []*Store
	end                 atomic.Bool
	refused             chan error
}

var jobs atomic.Uint64

// joinAll opens a job in dir, one partition a process.
func joinAll(t *testing.T, dir string, o Options, connect func(name string) engine.Engine) *members {
	t.Helper()
	n, anyJob := o.Partitions, fmt.Sprintf("suite-%d", jobs.Add(1))
	b := &members{refused: make(chan error, 100), Inspector: Inspect(connect("reader"), anyJob, make([]string, n), func(context.Context, string) string { return "" })}
	for i := range n {
		m := Membership{
			Engine: connect(fmt.Sprint("node", i)), Job: anyJob, Partitions: uint32(n), Places: []uint32{uint32(i)}, Gate: i == 0,
			Done: func(context.Context) error { b.end.Store(true); return nil }, Ended: b.end.Load,
			Refused: func(_ uint32, err error) { b.refused <- err },
		}
		c, err := Join(filepath.Join(dir, fmt.Sprint("node", i)), o.Store, m)
		if err != nil {
			t.Fatalf("Join: %v", err)
		}
		b.all = append(b.all, c)
	}
	return b
}

// still carries messages until there are none.
func (b *members) still(t testing.TB) {
	t.Helper()
	start := time.Now()
	for quiet := false; !quiet; {
		quiet = true
		if time.Since(start) > time.Minute {
			t.Fatal("messages are carried for a minute, and some are left")
		}
		for _, c := range b.all {
			if err := errors.Join(c.settled(context.WithoutCancel(t.Context())), c.fault()); err != nil {
				t.Fatalf("carry: %v", err)
			}
			quiet = quiet && c.silent()
		}
	}
}

func (b *members) close(t testing.TB) {
	t.Helper()
	b.still(t)
	n, err := b.Verify(context.WithoutCancel(t.Context()), func(br gatecrawl.Breach) error {
		t.Errorf("breach: %s: %s", br.Invariant, br.Detail)
		return nil
	})
	if err != nil {
		t.Errorf("Verify after %+v: %v", n, err)
	}
	for _, c := range b.all {
		if err := c.Close(); err != nil {
			t.Errorf("Close: %v", err)
		}
	}
}

func (b *members) of(l frontier.Lease) *Store {
	if l.Task == frontier.Reread {
		return b.all[store.PlaceOf(b.all[0].places, l.Token)]
	}
	return b.all[b.all[0].places.Of(l.URL)]
}

func (b *members) Add(ctx context.Context, cs []frontier.Candidate) (added int, err error) {
	for _, c := range b.all { // each reads the whole list
		n, err := c.Add(ctx, cs)
		if added += n; err != nil {
			return added, err
		}
	}
	return added, nil
}

// Next lends the best URL of all processes.
func (b *members) Next(ctx context.Context) (frontier.Lease, error) {
	for {
		var moves uint64
		var least time.Duration
		empty := 0
		order := slices.Clone(b.all)
		slices.SortStableFunc(order, func(x, y *Store) int {
			rx, okx := x.own[0].Rank()
			ry, oky := y.own[0].Rank()
			if !okx {
				rx = 1<<32 - 1
			}
			if !oky {
				ry = 1<<32 - 1
			}
			return int(int64(rx) - int64(ry))
		})
		for _, c := range order {
			moves += c.carried.Load()
			l, ok, wait, err := c.try(ctx)
			switch {
			case err != nil || ok:
				return l, err
			case wait < 0:
				empty++
			case wait > 0 && (least == 0 || wait < least):
				least = wait
			}
		}
		if empty < len(b.all) {
			select {
			case <-time.After(min(max(least, time.Millisecond), 50*time.Millisecond)):
			case <-ctx.Done():
				return frontier.Lease{}, ctx.Err()
			}
			continue
		}
		more := false
		for _, c := range b.all {
			if err := c.settled(ctx); err != nil {
				return frontier.Lease{}, err
			}
			moves -= c.carried.Load()
			more = more || !c.silent()
		}
		if more || moves != 0 {
			continue
		}
		for _, c := range b.all {
			if more, err := c.own[0].Audit(ctx); err != nil {
				return frontier.Lease{}, err
			} else if more {
				break
			}
			empty--
		}
		if empty == 0 {
			return frontier.Lease{}, frontier.ErrEmpty
		}
	}
}

func (b *members) Release(l frontier.Lease, rest time.Duration) error {
	return b.of(l).Release(l, rest)
}
func (b *members) Reserve(l frontier.Lease, from time.Time) time.Time {
	return b.of(l).Reserve(l, from)
}
func (b *members) Known(l frontier.Lease) (page.Known, error) { return b.of(l).Known(l) }
func (b *members) Pace() gatecrawl.Pace                       { return b.all[0].Pace() }
func (b *members) Settle(ctx context.Context, v *page.Visit) (page.Record, error) {
	return b.of(v.Lease).Settle(ctx, v)
}

func (b *members) SetLeasable(which frontier.Leasable) {
	for _, c := range b.all {
		c.SetLeasable(which)
	}
}

func (b *members) AskAgain(ctx context.Context, urls []weburl.URL) (all int, err error) {
	for _, c := range b.all {
		n, err := c.AskAgain(ctx, urls)
		if err != nil {
			return all, err
		}
		all += n
	}
	return all, nil
}

func (b *members) Rerate(ctx context.Context, by uint64, keep bool, rate func(url string, view *purify.DocView) float32) error {
	for _, c := range b.all {
		if err := c.Rerate(ctx, by, keep, rate); err != nil {
			return err
		}
	}
	return nil
}

func (b *members) CheckBytes(d dedup.Digest) (dedup.Verdict, error) { return b.all[1].CheckBytes(d) }
func (b *members) Check(sig dedup.Signature, text *dedup.Text) (dedup.Verdict, error) {
	return b.all[1].Check(sig, text)
}
func (b *members) Text(of dedup.Ref) (dedup.Text, bool, error) { return b.all[1].Text(of) }

func (b *members) Totals() page.Totals {
	var sum page.Totals
	for range 4 { // what is told of a copy is told to others
		for _, c := range b.all {
			c.settled(context.Background())
		}
	}
	for i, c := range b.all {
		if i == 0 {
			sum = c.Totals()
		} else {
			sum = sum.Plus(c.Totals())
		}
	}
	return sum
}

func (b *members) Roots() ([]weburl.URL, error) {
	var all []weburl.URL
	for _, c := range b.all {
		roots, err := c.own[0].Roots()
		if err != nil {
			return nil, err
		}
		all = append(all, roots...)
	}
	slices.SortFunc(all, func(a, b weburl.URL) int { return strings.Compare(a.String(), b.String()) })
	return all, nil
}

func (b *members) Requeue(ctx context.Context, a gatecrawl.Again) (all gatecrawl.Requeued, err error) {
	for _, c := range b.all {
		n, err := c.Requeue(ctx, a)
		all.Add(n)
		if err != nil {
			return all, err
		}
	}
	return all, nil
}

// Why is asked when what waits was carried, as Store's is.
func (b *members) Why(ctx context.Context, url string) (gatecrawl.Why, error) {
	b.Totals()
	return b.Inspector.Why(ctx, url)
}

// TestProcessesPassTheSuite: the contract of a store is kept by three processes that have a
// partition each, over an engine.
func TestProcessesPassTheSuite(t *testing.T) {
	suite.Run(t, func(t *testing.T, so suite.Options) (suite.Backend, func() suite.Backend) {
		net := mem.NewNet(mem.Options{})
		t.Cleanup(net.Close)
		return membersFor(t, so, func(name string) engine.Engine { return net.Join(name) })
	})
}

// TestProcessesPassTheSuiteOnJetStream: the same on the engine of a cluster.
func TestProcessesPassTheSuiteOnJetStream(t *testing.T) {
	slow.Test(t, "opens some forty jobs on a server")
	server, err := jetstream.Serve(jetstream.ServerOptions{Name: "suite", Dir: t.TempDir(), Listen: "127.0.0.1:0"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(server.Close)
	if err := server.Ready(t.Context()); err != nil {
		t.Fatal(err)
	}
	connect := func(string) engine.Engine {
		e, err := jetstream.Open(context.Background(), jetstream.Options{Servers: []string{server.Addr()}, Replicas: 1})
		if err != nil {
			t.Error(err)
		}
		t.Cleanup(func() { e.Close() }) // when all tests of the suite have closed their jobs
		return e
	}
	suite.Run(t, func(t *testing.T, so suite.Options) (suite.Backend, func() suite.Backend) {
		return membersFor(t, so, connect)
	}, suite.InMadeTime...)
}

func membersFor(t *testing.T, so suite.Options, connect func(name string) engine.Engine) (suite.Backend, func() suite.Backend) {
	t.Helper()
	o := Options{Store: asked(store.DefaultOptions(), so), Partitions: 3}
	dir := t.TempDir()
	var b *members
	reopen := func() suite.Backend {
		t.Helper()
		if b != nil {
			b.close(t)
		}
		b = joinAll(t, dir, o, connect)
		return b
	}
	t.Cleanup(func() { b.close(t) })
	return reopen(), reopen
}

// TestVerdictsAreThoseOfOneStoreAcrossProcesses: as TestVerdictsAreThoseOfOneStore. A page is
// looked up when it is settled, or is settled by an answer that it has just had.
func TestVerdictsAreThoseOfOneStoreAcrossProcesses(t *testing.T) {
	t.Parallel()
	seed, want := verdictsOfOneStore(t)
	for name, wrap := range map[string]func(*members) anyJob{
		"looked up": func(b *members) anyJob { return b },
		"checked":   func(b *members) anyJob { return &checking{b} },
	} {
		net := mem.NewNet(mem.Options{})
		defer net.Close()
		b := joinAll(t, t.TempDir(), options(3), func(name string) engine.Engine { return net.Join(name) })
		defer b.close(t)
		settleInOrder(t, wrap(b), seed)
		b.still(t)
		wantVerdicts(t, "three processes, "+name, briefed(t, b), want)
	}
}

// A page that is visited again is compared with its kept version. What it is near may be a page of another process.
func TestBytesOfAnotherProcessesPagesAreNotKnown(t *testing.T) {
	t.Parallel()
	net := mem.NewNet(mem.Options{})
	defer net.Close()
	b := joinAll(t, t.TempDir(), options(3), func(name string) engine.Engine { return net.Join(name) })
	defer b.close(t)
	for i, c := range b.all {
		for place := range uint64(len(b.all)) {
			if place == uint64(i) {
				continue // it has no pages
			}
			if _, err := c.Known(frontier.Lease{Task: frontier.Reread, Token: uint64(len(b.all)) + place}); !errors.Is(err, page.ErrNoBytes) {
				t.Errorf("process %d says of a page of partition %d %v, want %v", i, place, err, page.ErrNoBytes)
			}
		}
	}
}

// A checking job asks the gate before it settles a page, as a crawl does.
type checking struct{ *members }

func (b *checking) Settle(ctx context.Context, v *page.Visit) (rec page.Record, err error) {
	if v.Sign != nil {
		v.Asked = time.Now()
		if v.Checked, err = b.of(v.Lease).Check(*v.Sign, v.Text); err != nil {
			return rec, err
		}
	}
	return b.members.Settle(ctx, v)
}

// TestProcessesFindTheEndTogether: each process crawls by itself, through a net that loses and
// doubles messages, until all of them are told that nothing is left; with the pages, copies and
// votes of one store.
func TestProcessesFindTheEndTogether(t *testing.T) {
	t.Parallel()
	one, err := store.Open(t.TempDir(), options(1).Store)
	if err != nil {
		t.Fatal(err)
	}
	defer one.Close()
	want := crawlAll(t, one)
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	net := mem.NewNet(mem.Options{Seed: seed, Lost: .05, Doubled: .2, MaxDelay: 3 * time.Millisecond, Timeout: 50 * time.Millisecond})
	defer net.Close()
	b := joinAll(t, t.TempDir(), options(3), func(name string) engine.Engine { return net.Join(name) })
	if _, err := b.Add(t.Context(), []frontier.Candidate{{URL: parse(t, "http://d0.example/0")}}); err != nil {
		t.Fatal(err)
	}
	var group sync.WaitGroup
	for _, c := range b.all {
		group.Go(func() { visitAll(t, c) })
	}
	group.Wait()
	for _, c := range b.all {
		if !c.silent() {
			t.Error("the end was found while a message was on its way")
		}
	}
	got := results(t, retrying{b})
	copies, wanted := 0, 0
	for u, w := range want {
		g, ok := got[u]
		if !ok {
			t.Errorf("%s was not visited", u)
		}
		if w.Verdict == page.VerdictCopy {
			wanted++
		}
		if g.Verdict == page.VerdictCopy {
			copies++
		}
	}
	if x, y := b.Totals(), one.Totals(); len(got) != len(want) || copies != wanted || x.Seen != y.Seen || x.Votes != y.Votes {
		t.Errorf("%d pages, %d copies, %d URLs, %d votes; want %d, %d, %d, %d", len(got), copies, x.Seen, x.Votes, len(want), wanted, y.Seen, y.Votes)
	}
	for _, c := range b.all {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	}
}

// retrying asks again where a net loses questions.
type retrying struct{ *members }

func (r retrying) Pages(ctx context.Context, from uint64, fn func(page.Record) error) error {
	for {
		var all []page.Record
		err := r.members.Pages(ctx, from, func(p page.Record) error { all = append(all, p); return nil })
		if rpc.IsAway(err) {
			continue
		}
		for _, p := range all {
			if err == nil {
				err = fn(p)
			}
		}
		return err
	}
}

// joinThree joins three processes with a partition each, and returns their nodes, which can be cut off.
func joinThree(t *testing.T) (b *members, nodes map[string]*mem.Node) {
	t.Helper()
	net := mem.NewNet(mem.Options{})
	t.Cleanup(net.Close)
	nodes = make(map[string]*mem.Node)
	b = joinAll(t, t.TempDir(), options(3), func(name string) engine.Engine {
		nodes[name] = net.Join(name)
		return nodes[name]
	})
	return b, nodes
}

// TestAHostWhosePageCannotBeDecidedRests: a page with the bytes of one at a process that does not
// answer is given back, and no page of its host is lent for a while.
func TestAHostWhosePageCannotBeDecidedRests(t *testing.T) {
	b, nodes := joinThree(t)
	defer b.close(t)
	host := func(place uint32) string {
		for i := 0; ; i++ {
			u := fmt.Sprintf("http://d%d.example/", i)
			if b.all[0].places.Of(parse(t, u)) == place {
				return u
			}
		}
	}
	var cs []frontier.Candidate
	for _, u := range []string{host(1), host(2), host(2) + "other"} {
		cs = append(cs, frontier.Candidate{URL: parse(t, u)})
	}
	if _, err := b.Add(t.Context(), cs); err != nil {
		t.Fatal(err)
	}
	next := func(c *Store) *page.Visit {
		l, ok := lend(t, c)
		if !ok {
			t.Fatal("nothing is lent")
		}
		return visitOf(l, text(1, 0))
	}
	if rec, err := b.all[1].Settle(t.Context(), next(b.all[1])); err != nil || rec.Verdict != page.VerdictNew {
		t.Fatalf("Settle of the first = %s, %v", rec.Verdict, err)
	}
	b.still(t)

	nodes["node1"].Cut(true)
	c := b.all[2]
	v := next(c)
	var err error
	if v.Checked, err = c.CheckBytes(v.Sign.Bytes); err != nil || !v.Checked.Copy() {
		t.Fatalf("CheckBytes = %+v, %v; want a copy", v.Checked, err)
	}
	v.View, v.Text, v.Body = nil, nil, nil // as of a page that was not read
	before := time.Now()
	if _, err := c.Settle(t.Context(), v); !errors.Is(err, frontier.ErrLeaseLost) || !strings.Contains(err.Error(), ": partition 1 of job ") {
		t.Fatalf("Settle while the kept page's process is away: %v, want ErrLeaseLost for partition 1", err)
	}
	l, ok, wait, err := c.try(t.Context())
	if late := time.Since(before); err != nil || ok || wait > awayRest || wait < awayRest-late {
		t.Errorf("%v later try = %s, %v, wait %v, %v; want none for %v", late, l.URL, ok, wait, err, awayRest)
	}
	nodes["node1"].Cut(false)
}

// TestMailThatIsRefusedIsTold: the process of the gate cannot write, and each reason is told once while
// what is for it is offered again.
func TestMailThatIsRefusedIsTold(t *testing.T) {
	b, _ := joinThree(t)
	defer b.close(t)
	c := b.all[1]
	var cs []frontier.Candidate
	for n := range 30 {
		cs = append(cs, frontier.Candidate{URL: parse(t, fmt.Sprintf("http://d%d.example/", n))})
	}
	if _, err := b.Add(t.Context(), cs); err != nil {
		t.Fatal(err)
	}
	b.still(t)
	for _, fault := range []string{"no space left on its disk", "its disk cannot be read"} {
		err := errors.New(fault)
		b.all[0].failed.Store(&err)
		l, ok := lend(t, c)
		if !ok {
			t.Fatal("nothing is lent")
		}
		if _, err := c.Settle(t.Context(), visitOf(l, text(1, 0))); err != nil {
			t.Fatal(err)
		}
		for tries := 0; tries < 3; tries++ { // offered again, by whoever asks for what is settled
			if _, err := c.carryAll(t.Context(), 1); err != nil {
				t.Fatal(err)
			}
		}
		select {
		case err := <-b.refused:
			if !strings.Contains(err.Error(), ".gate cannot answer: ") || !strings.HasSuffix(err.Error(), ": "+fault) {
				t.Errorf("told of %v, want %q", err, fault)
			}
		case <-time.After(20 * time.Second):
			t.Fatalf("nobody is told that mail is refused: %s", fault)
		}
		if n := len(b.refused); n > 0 {
			t.Errorf("%q is told %d times", fault, 1+n)
		}
	}
	b.all[0].failed.Store(nil)
	b.still(t)
}

// A status counts what answers, and names the partitions that do not.
func TestAStatusNamesThePartitionsThatAreAway(t *testing.T) {
	b, nodes := joinThree(t)
	defer b.close(t)
	var cs []frontier.Candidate
	for n := range 30 {
		cs = append(cs, frontier.Candidate{URL: parse(t, fmt.Sprintf("http://d%d.example/", n))})
	}
	if _, err := b.Add(t.Context(), cs); err != nil {
		t.Fatal(err)
	}
	b.still(t)
	status := func(want int64, away int) {
		t.Helper()
		s, err := b.Status(t.Context())
		if err != nil || s.Queued != want || len(s.Away) != away {
			t.Errorf("Status: %d queued, away %q, %v; want %d, and %d away", s.Queued, s.Away, err, want, away)
		}
	}
	here := func(place int) int64 { return b.all[place].own[0].Totals().Queued }
	status(30, 0)
	nodes["node0"].Cut(true)
	status(here(1)+here(2), 1)
	nodes["node2"].Cut(true)
	status(here(1), 2)
	nodes["node1"].Cut(true)
	if s, err := b.Status(t.Context()); err == nil {
		t.Errorf("Status while nothing answers = %+v, want an error", s)
	}
	for _, n := range nodes {
		n.Cut(false)
	}
}
