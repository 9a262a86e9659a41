// Package board remembers what a running crawl did in the last minutes.
//
// A Board is told of each settled page (Settled is a record hook, see gatecrawl.Hooks) and counts
// it: by second for ten minutes, by minute for a day, and by host for a minute. It keeps the
// last refusals, failures and copies too. All of it is in memory, bounded, and gone with the
// run; what is durable is asked of gatecrawl.Inspector. A Snapshot is what the live page, the
// API, the metrics and the terminal show.
package board
