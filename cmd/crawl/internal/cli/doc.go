// Package cli has what the commands of crawl share: exit codes, questions to a job, flags of
// settings, pages named on the command line, and what Ctrl-C does.
package cli
