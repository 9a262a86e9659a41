// Package judge shows a person a sample of a job's pages, and estimates the gate's precision
// and recall from the answers.
//
// A Draw takes two kinds of pages: copies, each beside the page that the gate took it for a
// copy of, and kept pages, each beside the kept page before it that it has most in common
// with. Both are cut into strata by level and similarity, and more is drawn where the gate
// is more likely to be wrong. A person says whether the two pages of each pair are the same;
// the gate's verdict is hidden until then. Copies that are not the same are lost documents and
// cost precision, kept pages that are the same cost recall.
//
// A Sheet has the answers, in a file that corpus/labelled reads. Of makes an Estimate of
// it: precision and recall by page, weighted by stratum, with 95% bounds that hold unsure
// answers and strata without an answer against the gate in one and for it in the other. A
// Desk is the page on which the answers are given.
//
// Drawing is by hashes of URLs, so that the same job gives the same pairs, and a larger
// sample those of the smaller one and more. It reads the job twice, one row at a time, and
// keeps some 400 bytes of each kept page.
package judge
