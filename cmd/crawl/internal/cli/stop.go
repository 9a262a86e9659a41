package cli

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"
)

// oneSignal is how long repeated signals count as one. When a terminal is closed, it sends SIGHUP
// to the shell, which sends it again; timeout(1) signals its child, and then the group that both
// are in.
const oneSignal = 200 * time.Millisecond

// UntilInterrupt returns a context that the first Ctrl-C, SIGTERM or SIGHUP ends, and a function
// that ends the watch. A second signal calls atOnce and ends the process; nothing durable is lost.
func UntilInterrupt(ctx context.Context, say io.Writer, how string, atOnce func()) (context.Context, func()) {
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	if !signal.Ignored(syscall.SIGHUP) { // ignored under nohup
		signal.Notify(signals, syscall.SIGHUP)
	}
	ctx, stop := untilSignal(ctx, signals, say, how, func() {
		atOnce()
		os.Exit(codeAtOnce)
	})
	return ctx, func() {
		signal.Stop(signals)
		stop()
	}
}

// untilSignal is UntilInterrupt for signals that come by a channel.
func untilSignal(ctx context.Context, signals <-chan os.Signal, say io.Writer, how string, atOnce func()) (context.Context, func()) {
	ctx, cancel := context.WithCancel(ctx)
	over := make(chan struct{})
	go func() { // ends in stop
		select {
		case <-signals:
		case <-over:
			return
		}
		first := time.Now()
		if how != "" {
			fmt.Fprintln(say, how)
		}
		cancel()
		for {
			select {
			case <-signals:
				if time.Since(first) >= oneSignal {
					atOnce()
					return
				}
			case <-over:
				return
			}
		}
	}()
	return ctx, func() {
		close(over)
		cancel()
	}
}
