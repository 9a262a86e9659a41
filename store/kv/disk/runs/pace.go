package runs

import (
	"sync/atomic"
	"time"
)

const (
	// mergePace is how many entries a merge passes for each that comes into the table. A
	// tier has to be merged again when as many came in as its last merge had, so at 1 a
	// merge would end just in time. Above that it ends sooner, there are fewer runs to
	// ask, and merges take more of the machine at once.
	mergePace = 2

	// mergeFloor is how many entries a second a merge passes if nothing comes in. It takes some
	// 5 % of a processor.
	mergeFloor = 200_000

	// mergeStep is after how many entries a merge looks whether it may go on.
	mergeStep = 4096

	// mergePause is how long it waits before it looks again.
	mergePause = 20 * time.Millisecond
)

// A pace limits a merge to the speed of what comes in: what it merges came in over a long time,
// and merging it at full speed would take a processor from the crawl until it ends.
type pace struct {
	stop       *atomic.Bool  // the table closes
	came       *atomic.Int64 // entries that came into the table; nil: the merge is not limited
	cameBefore int64         // of these, when the merge started
	start      time.Time
}

// pace starts a merge's.
func (t *Table) pace() pace {
	return pace{stop: &t.stop, came: &t.came, cameBefore: t.came.Load(), start: time.Now()}
}

// wait returns when a writer that passed so many entries may pass mergeStep more. When
// the table closes it fails with errStopped.
func (p *pace) wait(passed int64) error {
	for !p.stop.Load() {
		if !p.ahead(passed) {
			return nil
		}
		time.Sleep(mergePause)
	}
	return errStopped
}

func (p *pace) ahead(passed int64) bool {
	if p.came == nil {
		return false
	}
	came := float64(p.came.Load() - p.cameBefore)
	return float64(passed) > mergePace*came+mergeFloor*time.Since(p.start).Seconds()
}
