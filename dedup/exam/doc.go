// Package exam scores methods of telling copies against a truth, and draws what it finds.
//
// A Test is a collection whose copies are known, or pairs that were judged; an Exam of it
// runs one method.Method after the other. A Result has precision, recall and F1 with 95%
// intervals, by kind of pair, for all thresholds, of the groups that the pairs make and of a
// gate that goes by the method, and what signing and finding cost in processor time.
//
// Every figure except the speeds is the same in every run. Intervals are Wilson's, or wider if
// a bootstrap over the pages says so.
package exam
