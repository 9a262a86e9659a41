package labelled

import (
	"bufio"
	"bytes"
	"strings"
	"testing"
)

func FuzzJudgedPairs(f *testing.F) {
	f.Add([]byte(`{"a":{"url":"http://a/","html":"<p>x"},"b":{"text":"y"},"label":1}`))
	f.Add([]byte(`{"a":null,"b":{},"label":null}`))
	f.Add([]byte(`{"text1":"x","Text_2":"y","score":"true"}`))
	f.Add([]byte("one\ttwo\t1\n\nthree\t\"fo\"\"ur\"\t0"))
	f.Add([]byte("label,a,b\n1,\"x,\ny\",z\n0,\"x\"y,z"))
	f.Fuzz(func(t *testing.T, file []byte) {
		for _, o := range []Options{{}, {Main: true}, {Dir: t.TempDir()}} {
			for n, p := range (&reader{Options: o}).pairsOf(bufio.NewReaderSize(bytes.NewReader(file), headBytes), "pairs") {
				if p.err != nil || n == 0 {
					continue
				}
				j := judgedPairs{at: make(map[[2]string]int), asked: make(map[[2]int]bool)}
				if err := j.add(p.a, p.b, true); err != nil {
					t.Fatal(err)
				}
				if len(j.test.Docs) != 2 || len(j.test.Asked) != 1 || j.test.Asked[0] != [2]int{0, 1} {
					t.Errorf("a pair made %d documents and the pairs %v", len(j.test.Docs), j.test.Asked)
				}
			}
		}
	})
}

// Options that are not set take no pair for a copy that people told apart, and tell nobody of a line
// that cannot be read.
func TestTheZeroOptionsReadJudgedPairs(t *testing.T) {
	const pairs = "the cat sat on the mat today\tthe cat sat on the mat yesterday\t1\n" +
		"the cat sat on the mat today\ta train leaves at noon\t0\n" +
		"the cat sat on the mat today\ta ship leaves at night\t-1\n" +
		"no label\n"
	for label, copies := range map[float64]int{0: 1, 1: 1, -0.5: 2, 2: 0} {
		set, err := Read(Options{Label: label}, []string{"-"}, strings.NewReader(pairs))
		if err != nil || len(set.Test.Asked) != 3 || len(set.Test.Copies) != copies {
			t.Errorf("with label %g: %d pairs, %d of them copies, %v; want 3 and %d", label, len(set.Test.Asked), len(set.Test.Copies), err, copies)
		}
	}
}
