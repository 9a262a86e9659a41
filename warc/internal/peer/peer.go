// Package peer finds the programs of others that tests of archives compare with.
package peer

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// Warcio returns the program warcio, from npm's folder in GATECRAWL_ARCHIVES, which .ci/run has
// filled, or from the path. Where there is none the test is skipped.
func Warcio(t *testing.T) string {
	t.Helper()
	if dir := os.Getenv("GATECRAWL_ARCHIVES"); dir != "" {
		return filepath.Join(dir, "node_modules", ".bin", "warcio")
	}
	program, err := exec.LookPath("warcio")
	if err != nil {
		t.Skip("no warcio to compare with: npm install --prefix DIR warcio, and DIR in GATECRAWL_ARCHIVES")
	}
	return program
}
