// Package twins learns about mirrored sites while a crawl runs, in tables of a kv.Store.
//
// A twin is a site that is fetched in place of another one, because it has all of that site's
// pages. A Learner learns from each visit in its transaction, says which URL is fetched in place of
// another, and checks some of the deferred URLs when nothing else is left. Records make a
// mirror.Library and a mirror.Survey of a job's pages.
//
// The package queues nothing itself: a Job does.
package twins
