package body

import (
	"testing"

	"gatecrawl.example/gatecrawl/purify/forest"
)

func TestTheFirstForestAsksNothingOfTheSecondStep(t *testing.T) {
	for _, s := range forest.Blocks.Splits {
		if int(s.Column) >= blockColumns {
			t.Fatalf("the first forest asks column %d, which is there after it: it has %d", s.Column, blockColumns)
		}
	}
}
