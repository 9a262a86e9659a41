package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
)

// untilInterrupt returns a context that the first Ctrl-C or SIGTERM ends, and
// what ends the watch. The second signal ends the process at once, after
// atOnce; nothing that is durable is lost by that.
func untilInterrupt(ctx context.Context, say io.Writer, how string, atOnce func()) (context.Context, func()) {
	ctx, cancel := context.WithCancel(ctx)
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	over := make(chan struct{})
	go func() { // ends in stop
		select {
		case <-signals:
		case <-over:
			return
		}
		if how != "" {
			fmt.Fprintln(say, how)
		}
		cancel()
		select {
		case <-signals:
			atOnce()
			os.Exit(codeAtOnce)
		case <-over:
		}
	}()
	return ctx, func() {
		signal.Stop(signals)
		close(over)
		cancel()
	}
}
