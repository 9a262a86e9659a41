// Package cli is what the commands of crawl share: exit codes, questions to a job, settings
// given by flags, pages named on the command line, the end by Ctrl-C.
package cli
