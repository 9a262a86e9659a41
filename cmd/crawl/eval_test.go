package main

import "testing"

func FuzzJudgedPair(f *testing.F) {
	f.Add([]byte(`{"a":{"url":"http://a/","html":"<p>x"},"b":{"text":"y"},"label":1}`))
	f.Add([]byte(`{"a":null,"b":{},"label":null}`))
	f.Fuzz(func(t *testing.T, line []byte) {
		for _, e := range []evaluation{{}, {main: true}} {
			a, b, _, err := e.judgedPair(line)
			if err != nil {
				continue
			}
			j := judgedPairs{at: make(map[[2]string]int), asked: make(map[[2]int]bool)}
			if err := j.add(a, b, true); err != nil {
				t.Fatal(err)
			}
			if len(j.test.Docs) != 2 || len(j.test.Asked) != 1 || j.test.Asked[0] != [2]int{0, 1} {
				t.Errorf("a pair made %d documents and the pairs %v", len(j.test.Docs), j.test.Asked)
			}
		}
	})
}
