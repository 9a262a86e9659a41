// Package judge shows a person a sample of a job's pages, and estimates the gate's precision and
// recall from the answers.
//
// A Draw takes two kinds of pages: copies, each with the kept page that the gate took it for a copy
// of, and kept pages, each with the earlier kept page that it has most in common with. Both are
// divided into strata by level and similarity, and more is drawn where the gate is more likely to
// be wrong. A person says whether the two pages of each pair are the same; the gate's verdict is
// hidden until then. Copies that are not the same are lost documents and reduce precision; kept
// pages that are the same reduce recall.
//
// A Sheet has the answers, in a file that corpus/labelled reads. Its Estimate is precision and
// recall by page, weighted by stratum, with 95% bounds: the lower one counts unsure answers and
// strata without an answer against the gate, the upper one counts them for it. A Server is the web
// page on which the answers are given.
//
// Pages are drawn by hashes of URLs, so that the same job gives the same pairs, and a larger sample
// includes the smaller ones. Drawing reads the job twice, one row at a time, and needs some 400
// bytes of memory for each kept page.
package judge
