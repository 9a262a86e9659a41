// Package focus rates pages and links of a focused crawl by how much they are about its topic.
//
// A Judge has one or both of two sources. The words of a topic rate every page from the first one
// on (priority.Topic). Examples of pages, good and bad, train a model: a logistic regression on the
// hashed words of a page. If there is a topic, the crawl's own pages become examples: those that
// the words rate best and some that they rate low, weighted by that rating. So the model learns the
// words that occur together with the topic's own (blind relevance feedback, Rocchio 1971), and it
// makes half of a rating. It is trained again when 25, 50, 100, ... pages are kept. A topic's words
// may be in two languages: pages of a language in which fewer than three examples are for the topic
// are not used as examples against it, and are rated by the topic's words alone. If they are in two
// scripts and not on the same pages, each half is rated relative to its own best pages.
//
// A rating is relative to the job: 1 is what the best one in twenty of its pages reaches, and 0 what a page gets of which the
// model knows nothing. It orders pages and links, and is not a probability.
//
// A Judge can be saved, and loaded by another job. It may be used from many goroutines. The package
// fetches nothing and knows no queue.
package focus
