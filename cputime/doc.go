// Package cputime tells how much processor time this process has used, which, unlike the time of
// the clock, can be compared between runs on a machine that does other work too.
package cputime
