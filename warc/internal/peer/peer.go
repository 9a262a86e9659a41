// Package peer finds programs of others with which tests of archives compare results.
package peer

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// Warcio returns the path of the program warcio: in npm's folder in GATECRAWL_ARCHIVES, which
// .ci/run has filled, or in the PATH. If there is none the test is skipped.
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
