// Package exam scores methods of finding copies against known copies, and draws the results.
//
// A Test is a collection whose copies are known, or pairs that were judged; an Exam of it runs one
// method.Method after the other. A Result has precision, recall and F1 with 95% intervals, by kind
// of pair and for all thresholds; the same for the groups that the pairs make, and for a gate that
// uses the method; and the processor time of signing and finding.
//
// Every figure except the speeds is the same in every run. Intervals are Wilson's, or wider if a
// bootstrap over the pages gives wider ones.
package exam
