package limit

// Put puts an entry into a map of at most `most` entries. If there is no room for a new key, an
// arbitrary other entry is removed.
func Put[K comparable, V any](m map[K]V, most int, key K, value V) {
	if _, ok := m[key]; !ok && len(m) >= most {
		for other := range m {
			delete(m, other)
			break
		}
	}
	m[key] = value
}
