// Package focus judges pages and links of a focused crawl: how much they are about what the
// crawl looks for.
//
// A Judge has one or both of two sources. The words of a topic rate every page from the first one
// on (priority.Topic). Examples of pages, good and bad, make a model: a logistic regression on the
// hashed words of a page. Where there is a topic the crawl's own pages become examples: those
// that the words rate best and some that they rate low, weighed by that rating. So the model learns the
// words that stand beside the topic's own (blind relevance feedback, Rocchio 1971), and
// half of a rating is the model's. It is fitted anew when 25, 50, 100, ... pages are kept. A topic's words
// may be in two languages: pages of a language in which it has no three examples for the topic are no examples
// against it, and the topic's words alone rate them.
//
// A rating is relative to the job: 1 is what its best pages reach, the one in twenty. It orders
// pages and links, and is no probability.
//
// A Judge can be saved, and loaded by another job. It may be used from many goroutines. The
// package fetches nothing and knows no queue.
package focus
