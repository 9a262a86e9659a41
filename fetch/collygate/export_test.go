package collygate

// Remembered returns how many responses a gate remembers.
func Remembered(g *Gate) (n int) {
	g.judged.Range(func(any, any) bool { n++; return true })
	return n
}
