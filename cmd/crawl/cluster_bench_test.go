package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"testing"
	"time"

	"gatecrawl.example/gatecrawl/testserver"
	"gatecrawl.example/gatecrawl/testserver/await"
)

// BenchmarkNodesOfOneMachine crawls a web of 24 sites and some 3,600 URLs by one process, and by one, two
// and three nodes as commands, of which the first carries the engine. There is no delay, and there
// are 12 workers in all, or 32 in each process, which is the default. CPU is that of the crawling processes, which includes the engine; the web is
// in the test's.
func BenchmarkNodesOfOneMachine(b *testing.B) {
	bin, err := exec.LookPath("crawl") // put there by TestMain
	if err != nil {
		b.Fatal(err)
	}
	o := testserver.Demo()
	o.Hosts, o.SlowDelay, o.CrawlDelay = 24, 0, 0
	flags := []string{"run", "--delay", "0", "--scope", "any", "--mirrors", "watch", "--url-rules-learn", "defer"}
	crawl := func(b *testing.B, nodes, workers int) {
		b.Run(fmt.Sprintf("workers=%d/nodes=%d", workers, nodes), func(b *testing.B) {
			var took, cpu time.Duration
			messages, sent, pages := 0, 0, 0
			for b.Loop() {
				web, err := testserver.New(o)
				if err != nil {
					b.Fatal(err)
				}
				if err := web.Start(b.Context()); err != nil {
					b.Fatal(err)
				}
				args := append(flags, web.Seeds()...)
				start := time.Now()
				if nodes == 0 {
					run := exec.Command(bin, append(args, "--job", b.TempDir()+"/news", "--workers", strconv.Itoa(workers))...)
					if out, err := run.CombinedOutput(); err != nil {
						b.Fatalf("%v\n%s", err, out)
					}
					took += time.Since(start)
					cpu += run.ProcessState.UserTime() + run.ProcessState.SystemTime()
				} else {
					wall, used, log := crawlByNodes(b, bin, nodes, append(args, "--workers", strconv.Itoa(workers)))
					took, cpu = took+wall, cpu+used
					m := regexp.MustCompile(`messages=(\d+) bytes=(\d+)`).FindStringSubmatch(log)
					if m == nil {
						b.Fatalf("the engine's traffic is not in the log:\n%s", log)
					}
					n, _ := strconv.Atoi(m[1])
					size, _ := strconv.Atoi(m[2])
					messages, sent = messages+n, sent+size
				}
				for _, s := range web.Traffic() {
					pages += s.Requests - s.Paths["/robots.txt"]
				}
				web.Close()
			}
			each := float64(max(pages, 1))
			b.ReportMetric(each/took.Seconds(), "pages/s")
			b.ReportMetric(float64(cpu.Microseconds())/1000/each, "cpu-ms/page")
			b.ReportMetric(float64(messages)/each, "messages/page")
			b.ReportMetric(float64(sent)/each, "bytes/page")
			b.ReportMetric(0, "ns/op")
		})
	}
	for _, nodes := range []int{0, 1, 2, 3} {
		crawl(b, nodes, 12/max(nodes, 1))
	}
	for _, nodes := range []int{0, 1, 2, 3} {
		crawl(b, nodes, 32)
	}
}

// crawlByNodes has nodes crawl, and returns how long that took, their CPU, and the log of the
// first.
func crawlByNodes(b *testing.B, bin string, nodes int, args []string) (wall, cpu time.Duration, log string) {
	dir, listen := b.TempDir(), freePort(b)
	var said bytes.Buffer
	var all []*exec.Cmd
	for i := range nodes {
		name := "node-" + strconv.Itoa(i)
		cmd := exec.Command(bin, "node", "--dir", name, "--name", name)
		cmd.Dir = dir
		if i == 0 {
			cmd.Args = append(cmd.Args, "--listen", listen)
			cmd.Stderr = &said
		} else {
			cmd.Args = append(cmd.Args, "--join", listen)
		}
		if err := cmd.Start(); err != nil {
			b.Fatal(err)
		}
		all = append(all, cmd)
		await.Until(b, time.Minute, func() error {
			out, err := exec.Command(bin, "node", "list", "--cluster", listen, "--json").Output() // an error: it is about to listen
			if up := bytes.Count(out, []byte(`"up":true`)); err == nil && up <= i {
				err = fmt.Errorf("%d nodes are up, want %d", up, i+1)
			}
			return err
		})
	}
	start := time.Now()
	if out, err := exec.Command(bin, append(args, "--cluster", listen, "--job", "news")...).CombinedOutput(); err != nil {
		b.Fatalf("%v\n%s", err, out)
	}
	wall = time.Since(start)
	for i := len(all) - 1; i >= 0; i-- { // the engine last
		all[i].Process.Signal(os.Interrupt)
		if err := all[i].Wait(); err != nil {
			b.Errorf("node %d: %v", i, err)
		}
		cpu += all[i].ProcessState.UserTime() + all[i].ProcessState.SystemTime()
	}
	return wall, cpu, said.String()
}
