// Package replay says how well a crawl found a topic: it fetches the pages of a job once more on
// paper, by the job's own links, breadth first and in the ideal order, and compares what each
// order has after so many pages.
//
// A replay knows what the job knows. A page that no link of the job leads to (its way was that of a
// copy, a sitemap or a list) is at the end of both orders, and what the job never fetched is in
// none. The ideal order is greedy: it goes to the nearest page on the topic that is left, by the
// shortest way.
package replay
