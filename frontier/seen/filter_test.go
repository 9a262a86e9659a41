package seen

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	"gatecrawl.example/gatecrawl/dedup/index"
	"gatecrawl.example/gatecrawl/mmap"
	"gatecrawl.example/gatecrawl/splitmix"
)

func key(n int) (k [16]byte) {
	binary.LittleEndian.PutUint64(k[:], splitmix.Mix(uint64(n)))
	binary.LittleEndian.PutUint64(k[8:], splitmix.Mix(uint64(n)<<32))
	return k
}

// filterAt opens a filter as on one run of a machine, and closes it when the
// test ends.
func filterAt(t testing.TB, path string, o Options, boot byte, intact bool) *Filter {
	t.Helper()
	if !mmap.Shared {
		t.Skip("this system keeps a filter in memory only")
	}
	f, got, err := openFilter(path, o, [16]byte{boot})
	if err != nil || got != intact {
		t.Fatalf("Open(%s) = intact %v, %v, want %v", path, got, err, intact)
	}
	t.Cleanup(func() {
		if err := f.Close(); err != nil {
			t.Errorf("Close() = %v", err)
		}
	})
	return f
}

// forget leaves a filter as a killed process does.
func forget(t testing.TB, f *Filter) {
	t.Helper()
	f.mu.Lock()
	defer f.mu.Unlock()
	f.closed = true
	if err := f.release(); err != nil {
		t.Fatal(err)
	}
}

func addKeys(f *Filter, n int) {
	for i := range n {
		f.Add(key(i))
	}
}

func wantKeys(t testing.TB, f *Filter, n int) {
	t.Helper()
	for i := range n {
		if !f.Has(key(i)) {
			t.Fatalf("Has(key %d) = false after Add", i)
		}
	}
}

func TestAFilterForgetsNoKeyAndGrows(t *testing.T) {
	f := filterAt(t, filepath.Join(t.TempDir(), "seen"), Options{Capacity: 1000, Rate: 0.001}, 1, false)
	const n = 100_000 // five generations
	addKeys(f, n)
	addKeys(f, n) // again, which must not count
	wantKeys(t, f, n)
	if got := f.Len(); got > n || got < n*99/100 {
		t.Errorf("Len() = %d, want about %d", got, n)
	}
	if len(f.generations) != 5 {
		t.Errorf("%d generations, want 5", len(f.generations))
	}
	wrong := 0
	for i := range n {
		if f.Has(key(n + i)) {
			wrong++
		}
	}
	if wrong > n*15/10/1000 {
		t.Errorf("%d of %d unseen keys are taken for seen, want 0.1%%", wrong, n)
	}
}

func TestWhichFiltersAreIntact(t *testing.T) {
	o := Options{Capacity: 100, Rate: 0.01}
	const n = 1000
	for _, c := range []struct {
		name   string
		leave  func(t *testing.T, f *Filter, path string)
		boot   byte
		intact bool
	}{
		{"closed", func(t *testing.T, f *Filter, _ string) { f.Close() }, 1, true},
		{"closed, and the machine started anew", func(t *testing.T, f *Filter, _ string) { f.Close() }, 2, true},
		{"killed", func(t *testing.T, f *Filter, _ string) { forget(t, f) }, 1, true},
		{"killed with the machine", func(t *testing.T, f *Filter, _ string) { forget(t, f) }, 2, false},
		{"killed on a machine that does not tell", func(t *testing.T, f *Filter, _ string) { f.head.setBoot([16]byte{}); forget(t, f) }, 0, false},
		{"killed while it was filled", func(t *testing.T, f *Filter, _ string) { f.Reset(); addKeys(f, n); forget(t, f) }, 1, false},
		{"closed while it was filled", func(t *testing.T, f *Filter, _ string) { f.Reset(); addKeys(f, n); f.Close() }, 1, false},
		{"cut short", func(t *testing.T, f *Filter, path string) { f.Close(); os.Truncate(path, headerBytes+10) }, 1, false},
		{"cut to nothing", func(t *testing.T, f *Filter, path string) { f.Close(); os.Truncate(path, 0) }, 1, false},
		{"of another version", func(t *testing.T, f *Filter, path string) { index.Native.PutUint32(f.head[8:], 9); f.Close() }, 1, false},
		{"of more generations than there are", func(t *testing.T, f *Filter, path string) { f.head.setGenerations(maxGenerations); forget(t, f) }, 1, false},
		{"no filter at all", func(t *testing.T, f *Filter, path string) {
			f.Close()
			os.WriteFile(path, make([]byte, 1<<20), 0o644)
		}, 1, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "seen")
			f := filterAt(t, path, o, 1, false)
			addKeys(f, n)
			if err := f.Sync(); err != nil {
				t.Fatal(err)
			}
			c.leave(t, f, path)
			f = filterAt(t, path, o, c.boot, c.intact)
			if c.intact {
				wantKeys(t, f, n)
				return
			}
			if f.Len() != 0 {
				t.Errorf("Len() = %d of a filter that is not intact, want 0", f.Len())
			}
			// Filled again it is as good as any.
			addKeys(f, n)
			if err := f.Sync(); err != nil {
				t.Fatal(err)
			}
			forget(t, f)
			if boot := c.boot; boot != 0 {
				wantKeys(t, filterAt(t, path, o, boot, true), n)
			}
		})
	}
}

func TestAFilterOfOtherOptionsIsNotIntact(t *testing.T) {
	path := filepath.Join(t.TempDir(), "seen")
	o := Options{Capacity: 100, Rate: 0.01}
	f := filterAt(t, path, o, 1, false)
	f.Sync()
	f.Close()
	o.Rate = 0.02
	filterAt(t, path, o, 1, false)
}

func TestAClosedFilterSaysMaybe(t *testing.T) {
	f := filterAt(t, filepath.Join(t.TempDir(), "seen"), DefaultOptions(), 1, false)
	f.Close()
	f.Add(key(1))
	if !f.Has(key(2)) {
		t.Error("Has = false after Close, want true")
	}
	if f.Sync() == nil || f.Reset() == nil {
		t.Error("Sync and Reset after Close = nil, want an error")
	}
}

func TestAFilterThatCannotBeMadeNamesItsFile(t *testing.T) {
	dir := t.TempDir()
	if f, _, err := Open(dir, DefaultOptions()); err == nil {
		t.Errorf("Open(%s) = %v, want an error", dir, f)
	}
	if f, _, err := Open(filepath.Join(dir, "x"), Options{}); err == nil {
		t.Errorf("Open with no options = %v, want an error", f)
	}
}

func TestAFilterWithoutRoomForgetsNoKey(t *testing.T) {
	path := filepath.Join(t.TempDir(), "seen")
	f := filterAt(t, path, Options{Capacity: 100, Rate: 0.01}, 1, false)
	readOnly, err := os.Open(path) // which cannot grow, as on a full disk
	if err != nil {
		t.Fatal(err)
	}
	f.file.Close()
	f.file = readOnly
	const n = 1000
	addKeys(f, n)
	wantKeys(t, f, n)
	if err := f.Sync(); err == nil {
		t.Error("Sync() = nil, want the reason why the filter did not grow")
	}
}

func TestAFilterBearsManyCallers(t *testing.T) {
	f := filterAt(t, filepath.Join(t.TempDir(), "seen"), Options{Capacity: 500, Rate: 0.01}, 1, false)
	var wg sync.WaitGroup
	const callers, each = 4, 2000
	for c := range callers {
		wg.Go(func() {
			for i := range each {
				f.Add(key(c*each + i))
				if !f.Has(key(c*each + i)) {
					t.Errorf("Has(key %d) = false after Add", c*each+i)
				}
				if i%500 == 0 {
					if err := f.Sync(); err != nil {
						t.Errorf("Sync() = %v", err)
					}
				}
			}
		})
	}
	wg.Wait()
	wantKeys(t, f, callers*each)
}

// A key whose Add has returned is there after kill -9.
func TestAKilledProcessLosesNoKey(t *testing.T) {
	const env = "DEDUP_TEST_FILTER"
	o := Options{Capacity: 100, Rate: 0.01}
	if path := os.Getenv(env); path != "" {
		f, _, err := Open(path, o)
		if err != nil {
			t.Fatal(err)
		}
		if err := f.Sync(); err != nil {
			t.Fatal(err)
		}
		for i := 0; ; i++ {
			f.Add(key(i))
			fmt.Println(i)
		}
	}
	if mmap.BootID() == [16]byte{} {
		t.Skip("this system does not tell its boot id")
	}
	path := filepath.Join(t.TempDir(), "seen")
	child := exec.Command(os.Args[0], "-test.run=^TestAKilledProcessLosesNoKey$")
	child.Env = append(os.Environ(), env+"="+path)
	out, err := child.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	added := 0
	for lines := bufio.NewScanner(out); added < 3000 && lines.Scan(); added++ {
		if lines.Text() != strconv.Itoa(added) {
			t.Fatalf("the child says %q, want %d", lines.Text(), added)
		}
	}
	if err := child.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	child.Wait() // it was killed
	f, intact, err := Open(path, o)
	if err != nil || !intact {
		t.Fatalf("Open = intact %v, %v, want true", intact, err)
	}
	defer f.Close()
	wantKeys(t, f, added)
}

func BenchmarkFilter(b *testing.B) {
	for _, n := range []int{1_000_000, 10_000_000} {
		f := filterAt(b, filepath.Join(b.TempDir(), "seen"), DefaultOptions(), 1, false)
		addKeys(f, n)
		r := rand.New(rand.NewPCG(1, 1))
		b.Run(fmt.Sprintf("seen/n=%d", n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				f.Has(key(r.IntN(n)))
			}
		})
		b.Run(fmt.Sprintf("unseen/n=%d", n), func(b *testing.B) {
			for b.Loop() {
				f.Has(key(n + r.IntN(n)))
			}
		})
		b.Run(fmt.Sprintf("add/n=%d", n), func(b *testing.B) {
			i := n
			for b.Loop() {
				f.Add(key(i))
				i++
			}
		})
	}
}

func TestOptionsReportEveryFaultAtOnce(t *testing.T) {
	if err := DefaultOptions().Validate(); err != nil {
		t.Errorf("DefaultOptions().Validate() = %v, want nil", err)
	}
	err := Options{Rate: 1}.Validate()
	for _, want := range []string{"capacity", "rate"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Options.Validate() = %v, which does not say %q", err, want)
		}
	}
}
