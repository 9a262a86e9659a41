package fetch

import (
	"cmp"
	"fmt"
	"gatecrawl.example/gatecrawl/cputime"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
)

// The server runs in a process of its own, so that the CPU time below is the
// client's alone.
const benchServer = "GATECRAWL_TEST_BENCH_SERVER"

func TestMain(m *testing.M) {
	if os.Getenv(benchServer) != "" {
		serveBench()
		return
	}
	os.Exit(m.Run())
}

// serveBench prints where it listens and serves until its input ends.
func serveBench() {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	pages := map[string][]byte{"/": text(30 << 10)}
	for name := range encodings {
		pages["/"+strings.TrimPrefix(name, "raw ")] = encode(name, text(30<<10))
	}
	go http.Serve(l, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { // until the process ends
		if r.URL.Path != "/" {
			w.Header().Set("Content-Encoding", r.URL.Path[1:])
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.Write(pages[r.URL.Path])
	}))
	fmt.Println("http://" + l.Addr().String())
	io.Copy(io.Discard, os.Stdin)
}

// startBench starts the server and returns its origin.
func startBench(b *testing.B) string {
	b.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), benchServer+"=1")
	in, err := cmd.StdinPipe()
	if err != nil {
		b.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		b.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		in.Close()
		cmd.Wait()
	})
	var origin string
	if _, err := fmt.Fscanln(out, &origin); err != nil {
		b.Fatal(err)
	}
	return origin
}

// BenchmarkFetch30kB compares Fetch with a bare net/http client on the same
// server, by 32 goroutines; cpu-us/op is what one page costs this process. The
// client that reads all grows its buffer in steps, the one that discards keeps
// nothing: the two stand on either side of what is fair.
func BenchmarkFetch30kB(b *testing.B) {
	origin := startBench(b)
	f := newFetcher(b, Options{})
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 64, DisableCompression: true}}
	for name, read := range map[string]func(io.Reader) error{
		"nethttp/readall": func(r io.Reader) error { _, err := io.ReadAll(r); return err },
		"nethttp/discard": func(r io.Reader) error { _, err := io.Copy(io.Discard, r); return err },
	} {
		b.Run(name, func(b *testing.B) {
			perPage(b, func() error {
				res, err := client.Get(origin + "/")
				if err != nil {
					return err
				}
				defer res.Body.Close()
				return read(res.Body)
			})
		})
	}
	for _, kind := range []string{"", "gzip", "br", "zstd", "deflate"} {
		u := mustParse(b, origin+"/"+kind)
		b.Run("fetch/"+cmp.Or(kind, "plain"), func(b *testing.B) {
			perPage(b, func() error {
				r, err := f.Fetch(b.Context(), u)
				if err == nil && len(r.Body) != 30<<10 {
					err = fmt.Errorf("body of %d bytes", len(r.Body))
				}
				return err
			})
		})
	}
}

func perPage(b *testing.B, page func() error) {
	b.ReportAllocs()
	b.SetParallelism(32 / runtime.GOMAXPROCS(0))
	var failed atomic.Int64
	start := cputime.Used()
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			if err := page(); err != nil {
				failed.Add(1)
			}
		}
	})
	b.ReportMetric(float64((cputime.Used()-start).Nanoseconds())/1e3/float64(b.N), "cpu-us/op")
	if failed.Load() > 0 {
		b.Errorf("%d pages failed", failed.Load())
	}
}
