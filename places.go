package gatecrawl

import "time"

// patience is how long a worker that waits for a host keeps its place. A host that
// has not answered by then often never will.
const patience = time.Second

// places are what a worker needs to go on with a page: Options.Workers of them. Who
// waits long for a host gives up the place to one of Options.Spare further workers,
// so that hosts which do not answer slow down nobody but themselves.
type places chan struct{}

func (p places) enter() { p <- struct{}{} }
func (p places) leave() { <-p }

// away calls fn, which waits for a host, without the place after a while, and
// returns with it.
func (p places) away(fn func()) {
	t := time.AfterFunc(patience, p.leave)
	fn()
	if !t.Stop() {
		p.enter()
	}
}
