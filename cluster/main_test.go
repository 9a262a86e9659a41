package cluster_test

import (
	"flag"
	"os"
	"testing"
)

// TestMain runs eight tests at once unless -parallel says otherwise: nearly all of their time
// goes to waiting for the disk, each for a dozen files of its own.
func TestMain(m *testing.M) {
	flag.Parse()
	said := false
	flag.Visit(func(f *flag.Flag) { said = said || f.Name == "test.parallel" })
	if !said {
		flag.Set("test.parallel", "8") // which is a number: it cannot fail
	}
	os.Exit(m.Run())
}
