package lab

import "gatecrawl.example/gatecrawl/dedup/index"

// The designs that no gate uses. Those of Manku, Jain and Das Sarma (2007) are named by their
// number of tables at k = 3.
const (
	DesignStatic   index.Design = "static"   // Static: packed, for any distance
	DesignSorted4  index.Design = "sorted4"  // Sorted: k+1 blocks, one of them equal
	DesignSorted10 index.Design = "sorted10" // Sorted: k+2 blocks, two of them equal
	DesignSorted16 index.Design = "sorted16" // Sorted: k+1 blocks, the rest cut into k+1 again
	DesignSorted20 index.Design = "sorted20" // Sorted: k+3 blocks, three of them equal
)

// Designs returns all designs that are compared.
func Designs() []index.Design {
	return []index.Design{index.DesignHalves, DesignStatic, index.DesignBlocks, DesignSorted4, DesignSorted10, DesignSorted16, DesignSorted20}
}

// NewIndex returns an empty index of a design, for distances up to k.
func NewIndex(d index.Design, k int) (index.Index, error) {
	if k >= 0 && k <= index.MaxDistance {
		switch d {
		case DesignStatic:
			return NewStatic(), nil
		case DesignSorted4, DesignSorted10, DesignSorted16, DesignSorted20:
			return newSorted(d, k), nil
		}
	}
	return index.NewIndex(d, k)
}
