// Package twins is what a crawl knows of mirrored sites while it runs, in tables of a kv.Store.
//
// A twin is a site that is fetched in place of another, whose pages it all has. A Learner
// learns from each visit in its transaction, says which URL is fetched in place of another, and
// checks some of what was deferred when nothing else is left. Records make a mirror.Library and
// a mirror.Survey of a job's pages.
//
// The package queues nothing itself: a Job does.
package twins
