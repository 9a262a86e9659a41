package plan_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gatecrawl.example/gatecrawl/cluster/plan"
)

// names are those of n nodes.
func names(n int) (all []string) {
	for i := range n {
		all = append(all, fmt.Sprintf("node-%04d", i))
	}
	return all
}

// unevenness sums what each node has, and returns the largest by the mean.
func unevenness(parts []plan.Partition, owners []string, nodes int) float64 {
	sums, total := make(map[string]float64), 0.0
	for i, p := range parts {
		sums[owners[i]] += p.Load
		total += p.Load
	}
	most := 0.0
	for _, s := range sums {
		most = max(most, s)
	}
	return most / (total / float64(nodes))
}

// own has the partitions belong to whom a plan gives them, and counts those that move.
func own(parts []plan.Partition, owners []string) (moved int) {
	for i, o := range owners {
		if parts[i].Owner != o {
			moved++
		}
		parts[i].Owner = o
	}
	return moved
}

func TestAJobWithoutLoadIsSpreadByNumber(t *testing.T) {
	parts := make([]plan.Partition, 24)
	for _, nodes := range []int{1, 3, 5, 3, 24, 30, 1} { // it grows and shrinks while it crawls
		own(parts, plan.Assign(parts, names(nodes)))
		count := make(map[string]int)
		for _, p := range parts {
			count[p.Owner]++
		}
		for _, name := range names(nodes) {
			if n := count[name]; n < 24/nodes || n > (24+nodes-1)/nodes {
				t.Errorf("of %d nodes %s has %d of 24 partitions", nodes, name, n)
			}
		}
	}
}

func TestAPlanThatIsGoodMovesNothing(t *testing.T) {
	parts := make([]plan.Partition, 64)
	r := rand.New(rand.NewPCG(1, 2))
	for i := range parts {
		parts[i].Load = r.ExpFloat64()
	}
	own(parts, plan.Assign(parts, names(8)))
	if moved := own(parts, plan.Assign(parts, names(8))); moved > 0 {
		t.Errorf("the second plan moves %d partitions", moved)
	}
	shuffled := names(8)
	r.Shuffle(8, func(i, j int) { shuffled[i], shuffled[j] = shuffled[j], shuffled[i] })
	if moved := own(parts, plan.Assign(parts, append(shuffled, shuffled...))); moved > 0 {
		t.Errorf("nodes in another order, and named twice, move %d partitions", moved)
	}
}

func TestANodeThatIsGoneMovesItsOwnPartitionsOnly(t *testing.T) {
	parts := make([]plan.Partition, 64)
	for i := range parts {
		parts[i].Load = 1
	}
	own(parts, plan.Assign(parts, names(8)))
	if moved := own(parts, plan.Assign(parts, names(7))); moved != 8 {
		t.Errorf("one of 8 nodes is gone, and %d of 64 partitions move, want its 8", moved)
	}
	if got := unevenness(parts, plan.Assign(parts, names(7)), 7); got > 1.1 {
		t.Errorf("the largest of 7 nodes has %.2f of the mean", got)
	}
	if moved := own(parts, plan.Assign(parts, names(8))); moved > 8 {
		t.Errorf("the node comes back, and %d of 64 partitions move, want 8 at most", moved)
	}
}

func TestWithoutNodesNobodyHasAnything(t *testing.T) {
	if got := plan.Assign(make([]plan.Partition, 2), nil); !slices.Equal(got, []string{"", ""}) {
		t.Errorf("Assign = %q", got)
	}
}

// Figures of a crawl that a simulation is about, and where they are from.
const (
	known   = 1e11       // URLs
	fetched = 3e10       // pages in 30 days
	month   = 30 * 86400 // seconds
	most    = month      // pages of one domain: one a second
	domains = 2e8

	gateCPU      = 25e-6   // seconds a page, look and claim: the prototype's
	appendCPU    = 1.41e-3 // docs/measurements-cluster.md: 64 visits on three servers
	heartbeatCPU = 1.03e-3 // the same
	heartbeat    = 2.0     // seconds
	logBytes     = 305.0   // a page in the log, without its body: the prototype's
	sent         = 2 * 30  // bytes a page of links to other partitions: the prototype's
	disk         = 100.0   // bytes a URL: docs/measurements-frontier.md has 60 to 127
)

// loadOfPartitions draws the pages of partitions: domain r has c/r pages, as many as
// politeness allows at most. The largest million domains are drawn one by one; the others
// are spread evenly, which is right to half a percent at 4,096 partitions.
func loadOfPartitions(n int, seed uint64) []plan.Partition {
	const drawn = 1_000_000
	c := head()
	parts := make([]plan.Partition, n)
	r := rand.New(rand.NewPCG(seed, 0))
	for rank := 1; rank <= drawn; rank++ {
		parts[r.IntN(n)].Load += min(most, c/float64(rank))
	}
	for i := range parts {
		parts[i].Load += c * math.Log(domains/drawn) / float64(n)
	}
	return parts
}

// head returns c, for which all domains together have the pages that are fetched.
func head() float64 {
	low, high := 1.0, 1e12
	for range 200 {
		c := (low + high) / 2
		capped := c / most // so many domains have as many as politeness allows
		if capped*most+c*math.Log(domains/capped) < fetched {
			low = c
		} else {
			high = c
		}
	}
	return low
}

// TestLargeCrawlsAreBalanced is a crawl of 1e11 URLs on 10, 100 and 1,000 machines, on paper.
func TestLargeCrawlsAreBalanced(t *testing.T) {
	if testing.Short() {
		t.Skip("it draws millions of domains")
	}
	const perSecond = fetched / month
	for _, machines := range []int{10, 100, 1000} {
		for _, each := range []int{1, 4, 8, 16} {
			n := machines * each
			if n > 4096 { // as many as a job may have
				continue
			}
			parts := loadOfPartitions(n, uint64(n))
			owners := plan.Assign(parts, names(machines))
			uneven := unevenness(parts, owners, machines)
			t.Logf("%4d machines, %4d partitions: largest by mean %.3f", machines, n, uneven)
			if each >= 4 && uneven > 1.2 {
				t.Errorf("%d machines with %d partitions each: the largest has %.2f of the mean", machines, each, uneven)
			}
			batch := min(64, max(1, perSecond/float64(n))) // pages an append: at least one a second and partition
			engine := perSecond/batch*appendCPU + float64(n)/heartbeat*heartbeatCPU*share(perSecond/batch/float64(n))
			t.Logf("      each machine: %.0f pages/s, %.2f TB for URLs, log %.0f kB/s, links %.1f kB/s; gate %.2f cores, engine %.2f cores, %d logs",
				perSecond/float64(machines), known*disk/float64(machines)/1e12, perSecond*logBytes/float64(machines)/1e3,
				perSecond*sent/float64(machines)/1e3, perSecond*gateCPU, engine, n+2)
		}
	}
}

// share is the part of heartbeats that appends do not replace.
func share(appends float64) float64 { return max(0, 1-appends*heartbeat) }
