// Package template learns what the pages of a host repeat, and stores it in a job.
//
// The pages of a site share a frame: menus, banners, footers. For each host, and for its folders if
// they are sites of their own, a Learner has a purify.Site, which counts the blocks of the pages
// that Learn gets, and a template: the blocks that are on too many pages to be any page's own. What
// purify reads with the template leaves those out. The first template is made after 5 pages, and
// later ones less and less often; the number of a template is its generation.
//
// Pages that were read with an older template than their host has now are to be read again: the
// first pages of a host, those that were under way while a template was made, and thin pages (those
// that are compared by few blocks) of which the new template takes an eighth or gives as much back;
// a last template any block. The Learner lists them
// in the transaction that makes the template; Next leases them, and Revise removes them from the
// list.
//
// Learner owns the tables of this package, their encoding, their check and their repair. Methods
// with a kv.Tx are for the one goroutine that writes. The package reads no page: the caller of
// Learn passes what purify found.
package template
