// Package board remembers what a running crawl did in the last minutes.
//
// A Board gets each settled page (Settled is a record hook, see gatecrawl.Hooks) and counts it: by
// second for ten minutes, by minute for a day, and by host for a minute. It also keeps the last
// refusals, failures and copies. All of it is in memory, bounded, and lost when the run ends; for
// what is durable ask gatecrawl.Inspector. The live page, the API, the metrics and the terminal
// show a Snapshot.
package board
