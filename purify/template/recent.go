package template

// A recent has what is known of the places that came last, at most so many.
type recent[V any] struct {
	most int
	of   map[place]V
	ring []place // of of, in the order of arrival
	next int     // the oldest of a full ring
}

func newRecent[V any](most int) recent[V] { return recent[V]{most: most, of: make(map[place]V)} }

// add takes in a place that is not there, for the oldest one if there are most.
func (r *recent[V]) add(p place, v V) {
	if len(r.ring) < r.most {
		r.ring = append(r.ring, p)
	} else {
		delete(r.of, r.ring[r.next])
		r.ring[r.next] = p
		r.next = (r.next + 1) % r.most
	}
	r.of[p] = v
}
