// Package template learns what the pages of a host repeat, and keeps it in a job.
//
// The pages of a site share a frame: menus, banners, footers. For each host a Learner has a
// purify.Site, which counts the blocks of the pages that Learn gets, and the host's template:
// the blocks that are on too many of them to be any page's own. What purify reads with the
// template leaves those out. A template changes after 5 pages, and then less and less often;
// each one has a number, its generation.
//
// A page that was read with an older template than its host has now is to be read again: the
// first pages of a host, those that were under way while a template was made, and thin pages
// (those that are compared by few blocks) of which the new template has an eighth. The Learner
// lists them in the transaction that made the template; Next lends them, and Revise removes
// them from the list.
//
// Learner owns the tables of this package, their codec, their check and their repair.
// Everything that takes a kv.Tx is for the one goroutine that writes. The package reads no
// page: the caller of Learn passes what purify found.
package template
