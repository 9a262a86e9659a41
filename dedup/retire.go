package dedup

// Retire lets a kept page claim no more copies, as when its page changed: what was
// found to be its copy stays one, and what comes is compared with the others.
// Nothing is removed from the tables; a retired kept page costs some 40 bytes more.
func (g *Gate) Retire(doc DocID) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.retired == nil {
		g.retired = make(map[DocID]struct{})
	}
	g.retired[doc] = struct{}{}
}

// Retired returns how many kept pages claim no more copies.
func (g *Gate) Retired() int {
	g.mu.RLock()
	defer g.mu.RUnlock()
	return len(g.retired)
}

// IsRetired reports whether a kept page claims no more copies.
func (g *Gate) IsRetired(doc DocID) bool {
	g.mu.RLock()
	defer g.mu.RUnlock()
	return g.isRetired(doc)
}

// isRetired needs the lock.
func (g *Gate) isRetired(doc DocID) bool {
	_, ok := g.retired[doc]
	return ok
}
