package crawl_test

import (
	"os"
	"testing"

	"gatecrawl.example/gatecrawl/testserver/slow"
)

func TestMain(m *testing.M) { os.Exit(slow.Tests{M: m}.Run()) }
