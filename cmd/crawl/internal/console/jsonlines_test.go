package console

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"testing"
)

func TestALogForProgramsHasAnObjectALine(t *testing.T) {
	var b bytes.Buffer
	w := JSONLines(&b)
	fmt.Fprint(w, `{"level":"WARN","msg":"a log line"}`, "\ndone: 3")
	fmt.Fprint(w, " pages \"fetched\"\n\nfailed: 1\n")
	var said []string
	for d := json.NewDecoder(&b); d.More(); {
		var line struct{ Level, Msg string }
		if err := d.Decode(&line); err != nil {
			t.Fatal(err)
		}
		said = append(said, line.Level+" "+line.Msg)
	}
	if want := []string{"WARN a log line", `INFO done: 3 pages "fetched"`, "INFO failed: 1"}; !slices.Equal(said, want) {
		t.Errorf("the log has %q, want %q", said, want)
	}
}
