package limit

// Put puts an entry into a map that holds most entries at most: if there is no room for another
// key, any one of the others goes.
func Put[K comparable, V any](m map[K]V, most int, key K, value V) {
	if _, ok := m[key]; !ok && len(m) >= most {
		for other := range m {
			delete(m, other)
			break
		}
	}
	m[key] = value
}
