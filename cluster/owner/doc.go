// Package owner says which process owns a log, and until when.
//
// A process that can append to a log owns it. Take waits until nothing was appended for so long
// that the previous owner must have stopped, and appends an entry with the next epoch. If several
// processes do that at once, one succeeds. From then on the owner appends its batches, and
// heartbeats if it has no batches, and each acknowledged append extends the lease. The lease counts
// from the moment before the append was sent, by a clock that goes on while the machine sleeps.
// Other processes count from the moment at which they saw the entry, which is later, and wait a
// little longer than the lease. So the old owner has stopped before a new one starts. Clocks of
// different machines are never compared; only how fast they run matters, and Options.Drift bounds
// by how much that differs.
//
// Within its lease an owner may lease URLs, open connections and send requests. Allowed says
// whether it still may. It is asked immediately before each of these, since the process may have
// been stopped since an earlier question. Requests under way end with the context of Within.
//
// Two things are not prevented. A process that is stopped in the instant between Allowed and the
// request may send that one request when it goes on; no lock prevents that. And the new owner does
// not know the last request of the old one, so after a takeover the caller has to let each host
// rest for its delay.
package owner
