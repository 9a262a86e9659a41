package console

import (
	"fmt"
	"os"
	"testing"

	"golang.org/x/sys/unix"
)

// openTerminal returns a terminal that the test is the keyboard and screen of.
func openTerminal(t *testing.T) *os.File {
	t.Helper()
	far, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		t.Skip("the system gives out no terminals: ", err)
	}
	t.Cleanup(func() { far.Close() })
	n, err := unix.IoctlGetInt(int(far.Fd()), unix.TIOCGPTN)
	if err == nil {
		err = unix.IoctlSetPointerInt(int(far.Fd()), unix.TIOCSPTLCK, 0)
	}
	if err != nil {
		t.Fatal(err)
	}
	near, err := os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { near.Close() })
	return near
}

func TestATerminalWithoutACursorGetsNoProgressLines(t *testing.T) {
	tty := openTerminal(t)
	for kind, want := range map[string]bool{"xterm": true, "": true, "dumb": false} {
		t.Setenv("TERM", kind)
		if got := NewScreen(tty).Watched(); got != want {
			t.Errorf("TERM=%s: watched %v, want %v", kind, got, want)
		}
	}
}
