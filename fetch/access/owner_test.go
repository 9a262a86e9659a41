package access

import (
	"io/fs"
	"testing"
)

func TestASecretIsItsOwnersOrOfRootAndAGroup(t *testing.T) {
	for _, c := range []struct {
		perm             fs.FileMode
		rootOwns, isRoot bool
		want             bool
	}{
		{0o600, false, false, true}, {0o400, true, true, true}, {0o640, false, false, false}, {0o604, false, false, false},
		{0o440, true, false, true}, {0o640, true, false, true}, {0o660, true, false, false}, {0o444, true, false, false}, {0o440, true, true, false},
	} {
		if got := private(c.perm, c.rootOwns, c.isRoot); got != c.want {
			t.Errorf("private(%v, root owns it: %v, we are root: %v) = %v, want %v", c.perm, c.rootOwns, c.isRoot, got, c.want)
		}
	}
}
