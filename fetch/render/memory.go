package render

import (
	"context"
	"fmt"
	"time"
)

// memoryTick is how often a browser's memory is checked while a page is rendered. A page that
// does nothing but take memory gets some 50 MB meanwhile.
const memoryTick = 50 * time.Millisecond

// A process is one of a browser's.
type process struct {
	pid      int
	renderer bool  // it runs the scripts of a page
	bytes    int64 // of its own: not of files and libraries that it shares
}

// A memoryError says that a page took too much.
type memoryError struct{ limit int64 }

func (e *memoryError) Error() string {
	return fmt.Sprintf("it took more than %d MB of memory, and its tab was closed (render-memory)", e.limit/1e6)
}

// watch bounds the memory of a running browser until ctx ends. A process that runs a
// page's scripts is ended above Options.Memory, which closes the page's tab; the browser,
// when its other processes are above that together.
func (b *Browser) watch(ctx context.Context, root int, end func()) {
	tick := time.NewTicker(memoryTick)
	defer tick.Stop()
	limited := make(map[int]bool)
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		if len(b.tabs) == 0 {
			continue
		}
		others := int64(0)
		for _, p := range processesOf(root) {
			if !p.renderer {
				others += p.bytes
				continue
			}
			if !limited[p.pid] {
				limited[p.pid] = true
				limitProcess(p.pid, b.o.Memory)
			}
			if p.bytes > b.o.Memory {
				b.closed.Add(1) // before the tab can know
				killProcess(p.pid)
			}
		}
		if others > b.o.Memory {
			b.closed.Add(1)
			end()
			return
		}
	}
}
