// Package replay measures how well a crawl found a topic: it simulates fetching the pages of a job
// again along the job's own links, breadth first and in the ideal order, and compares how much of
// the topic each order has found after a number of pages.
//
// A replay knows what the job knows. A page that no link of the job leads to (it was found through
// a copy, a sitemap or a list) comes last in both orders, and pages that the job never fetched are
// in none. The ideal order is greedy: it takes the shortest path to the nearest page on the topic
// that is left.
package replay
