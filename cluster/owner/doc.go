// Package owner says who owns a log, and until when.
//
// A process that can append to a log owns it. Take waits until the log was silent for so long
// that the previous owner has stopped, and appends an entry with the next epoch; of several
// processes that do that at once one succeeds. From then on the owner appends its batches, and
// a heartbeat if it has none, and each append that is acknowledged is a lease. The lease counts
// from the moment before the append was sent, by a clock that goes on while the machine sleeps.
// Others count from the moment at which they saw the entry, which is later, and wait a little
// longer than the lease. So the old owner has stopped before a new one starts, and no two
// clocks are compared: only how fast they run, and by how much that differs is an option.
//
// Within its lease an owner may lend URLs, open connections and send requests: Allowed says
// so, and is asked last thing before each of these, since the process may have been stopped
// between an earlier look and now. What is under way ends with the context of Within.
//
// What is not prevented: a process that is stopped in the instant between Allowed and the
// request may send that one request when it goes on. No lock closes that. And a host has to
// rest for its delay after a takeover, since the new owner does not know the last request
// of the old one: that is up to the caller.
package owner
