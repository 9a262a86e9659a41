package mem_test

import (
	"testing"

	"gatecrawl.example/gatecrawl/store/kv"
	"gatecrawl.example/gatecrawl/store/kv/kvtest"
	"gatecrawl.example/gatecrawl/store/kv/mem"
)

func TestContract(t *testing.T) {
	kvtest.Run(t, kvtest.Engine{Open: func(t *testing.T) kv.Store {
		s, err := mem.Open(kvtest.Tables())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := s.Close(); err != nil {
				t.Error(err)
			}
		})
		return s
	}})
}
