package main

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"gatecrawl.example/gatecrawl"
	"gatecrawl.example/gatecrawl/page"
	"gatecrawl.example/gatecrawl/testserver"
	"gatecrawl.example/gatecrawl/testserver/await"
	"gatecrawl.example/gatecrawl/testserver/score"
	"gatecrawl.example/gatecrawl/testserver/slow"
)

// A cluster is three nodes as commands, which carry the engine together, with TLS and a secret.
type cluster struct {
	bin, dir string
	clients  []string // addresses for commands, by node
	lines    []string // and between the engines
	nodes    [3]*exec.Cmd
}

var nodeNames = [3]string{"one", "two", "three"}

func startCluster(t *testing.T) *cluster {
	t.Helper()
	c := &cluster{bin: buildCrawl(t), dir: t.TempDir()}
	for range nodeNames {
		c.clients, c.lines = append(c.clients, freePort(t)), append(c.lines, freePort(t))
	}
	certificates(t, c.dir)
	if err := os.WriteFile(filepath.Join(c.dir, "secret"), []byte("0123456789abcdef0123\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for i := range nodeNames {
		c.start(t, i)
	}
	return c
}

// freePort returns an address at which nobody listens now.
func freePort(t testing.TB) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

// certificates writes ca.pem, and node.pem and node.key, which it has signed for 127.0.0.1.
func certificates(t *testing.T, dir string) {
	t.Helper()
	write := func(name, kind string, der []byte) {
		if err := os.WriteFile(filepath.Join(dir, name), pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	must := func(b []byte, err error) []byte {
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	newKey := func() *ecdsa.PrivateKey {
		key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
		if err != nil {
			t.Fatal(err)
		}
		return key
	}
	ca := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "ca"}, NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign,
	}
	leaf := &x509.Certificate{
		SerialNumber: big.NewInt(2), Subject: pkix.Name{CommonName: "node"}, NotBefore: ca.NotBefore, NotAfter: ca.NotAfter,
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
	}
	caKey, key := newKey(), newKey()
	write("ca.pem", "CERTIFICATE", must(x509.CreateCertificate(rand.Reader, ca, ca, &caKey.PublicKey, caKey)))
	write("node.pem", "CERTIFICATE", must(x509.CreateCertificate(rand.Reader, leaf, ca, &key.PublicKey, caKey)))
	write("node.key", "PRIVATE KEY", must(x509.MarshalPKCS8PrivateKey(key)))
}

// start starts a node; the test ends it.
func (c *cluster) start(t *testing.T, i int) {
	t.Helper()
	name := nodeNames[i]
	cmd := exec.Command(c.bin, "node", "--dir", name, "--name", name, "--listen", c.clients[i], "--line", c.lines[i], "--peers", strings.Join(c.lines, ","),
		"--secret-file", "secret", "--tls-cert", "node.pem", "--tls-key", "node.key", "--tls-ca", "ca.pem")
	cmd.Dir = c.dir
	var said bytes.Buffer
	cmd.Stderr = &said
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	c.nodes[i] = cmd
	t.Cleanup(func() {
		cmd.Process.Kill()
		cmd.Wait() // says that it was killed
		if t.Failed() {
			t.Logf("node %s:\n%s", name, &said)
		}
	})
}

// crawl runs a command with --cluster, and returns what it printed.
func (c *cluster) crawl(args ...string) (out, messages string, err error) {
	args = append(args, "--cluster", strings.Join(c.clients, ","), "--secret-file", "secret", "--tls-ca", "ca.pem")
	cmd := exec.Command(c.bin, args...)
	cmd.Dir = c.dir
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err = cmd.Run()
	return stdout.String(), stderr.String(), err
}

// must is crawl for what has to succeed.
func (c *cluster) must(t *testing.T, args ...string) string {
	t.Helper()
	out, messages, err := c.crawl(args...)
	if err != nil {
		t.Fatalf("crawl %s: %v\n%s", strings.Join(args, " "), err, messages)
	}
	return out
}

// until tries a command until it succeeds, and hands on what it prints until that is as wanted.
func (c *cluster) until(t *testing.T, wanted func(out string) bool, args ...string) string {
	t.Helper()
	var out string
	await.Until(t, 40*time.Second, func() error {
		said, messages, err := c.crawl(args...)
		if out = said; err != nil || !wanted(out) {
			return fmt.Errorf("crawl %s: %v\n%s%s", strings.Join(args, " "), err, out, messages)
		}
		return nil
	})
	return out
}

// TestCommandsOfACluster: three nodes that carry the engine together, with TLS and a secret,
// crawl a web, get the seeds of its other half while they do, and hand all out; when one of them
// is killed the commands say so, and when it is back they have the same answers.
func TestCommandsOfACluster(t *testing.T) {
	slow.Test(t, "runs three nodes")
	o := testserver.Demo()
	o.Hosts, o.Mirrors, o.Pages = 9, 1, 40
	web, err := testserver.New(o)
	if err != nil {
		t.Fatal(err)
	}
	if err := web.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	defer web.Close()
	c := startCluster(t)
	seeds := web.Seeds()
	c.until(t, func(out string) bool { return strings.Count(out, `"up":true`) == len(nodeNames) }, "node", "list", "--json")
	start := []string{"run", "--job", "news", "--detach", "--delay", "10ms", "--mirrors", "watch", "--url-rules-learn", "defer"}
	c.must(t, append(start, seeds[:4]...)...)
	if out := c.must(t, append([]string{"seeds", "add", "--job", "news"}, seeds[4:]...)...); out != fmt.Sprintf("%d URLs are given to job news\n", len(seeds)-4) {
		t.Errorf("seeds add: %q", out)
	}
	for _, step := range [][2]string{
		{"pause", "job news is paused"}, {"stop", "the nodes finish the pages in hand and stop job news"}, {"resume", "job news goes on"},
	} {
		if out := c.must(t, step[0], "--job", "news"); !strings.HasPrefix(out, step[1]) || !strings.Contains(out, "--tls-ca ca.pem --job news") {
			t.Errorf("%s: %s", step[0], out)
		}
	}
	if out := c.must(t, "set", "--job", "news", "--delay", "8ms"); !strings.Contains(out, "the job is running\ndelay 8ms, 32 workers") {
		t.Errorf("set: %s", out)
	}
	c.until(t, func(out string) bool {
		return strings.Contains(out, "kept") && strings.Contains(out, "QUEUED  FETCHED  FAILED")
	}, "top", "--job", "news", "--sort", "fetched")
	var st gatecrawl.Status
	c.until(t, func(out string) bool {
		st = gatecrawl.Status{}
		return json.Unmarshal([]byte(out), &st) == nil && st.Stopped == "done"
	}, "status", "--job", "news", "--json")

	report := web.Score(scored(t, c.must(t, "pages", "--job", "news", "--json")))
	if report.Exact.Recall() < 1 || report.Near.Recall() < .98 || report.Exact.Precision() < 1 || report.Near.Precision() < .98 || len(report.Twice) > 0 || report.Lost > 0 {
		t.Errorf("exact %+v, near %+v, %d fetched twice, %d lost", report.Exact, report.Near, len(report.Twice), report.Lost)
	}
	exports := make(map[string]string)
	for _, format := range []string{"jsonl", "csv", "markdown", "text", "edges"} {
		exports[format] = c.must(t, "export", "--job", "news", "--format", format)
	}
	if rows := int64(strings.Count(exports["jsonl"], "\n")); rows != st.New {
		t.Errorf("%d rows of %d kept pages", rows, st.New)
	}
	mirror := web.Truth().Mirrors[0]
	hosts := make(map[string]string)
	for _, s := range web.Sites() {
		hosts[s.Name] = strings.TrimSuffix(strings.TrimPrefix(s.URL, "http://"), "/")
	}
	if out := c.must(t, "mirrors", "--job", "news"); !strings.Contains(out, hosts[mirror.Of]) || !strings.Contains(out, hosts[mirror.By]) || !strings.Contains(out, "and 1 mirror of it") {
		t.Errorf("mirrors, want %s and %s:\n%s", hosts[mirror.Of], hosts[mirror.By], out)
	}
	if out := c.must(t, "rules", "list", "--job", "news", "--all"); strings.Count(out, "\n") < 2 {
		t.Errorf("rules: %s", out)
	}
	if out := c.must(t, "popular", "--job", "news", "--json"); !strings.Contains(out, `"degree":2`) {
		t.Errorf("popular: %s", out)
	}
	if out := c.must(t, "diff", "--job", "news", "--json"); int64(strings.Count(out, `"what":"new"`)) != st.New || int64(strings.Count(out, "\n")) != st.New {
		t.Errorf("diff has %d lines, %d of them new; want %d, the kept pages", strings.Count(out, "\n"), strings.Count(out, `"what":"new"`), st.New)
	}
	answersOfAll(t, c, st)

	c.nodes[1].Process.Signal(os.Interrupt)
	if err := c.nodes[1].Wait(); err != nil {
		t.Errorf("node two, interrupted: %v", err)
	}
	out, messages, err := c.crawl("export", "--job", "news", "-o", "news.jsonl")
	if err == nil || out != "" || !strings.Contains(messages, "node two, which has partition") || !strings.Contains(messages, "does not answer") {
		t.Errorf("export while a node is away: %v\n%s%s", err, out, messages)
	}
	if out := c.must(t, "node", "list"); !strings.Contains(out, "node two does not answer: start it again, or if it is gone for good: crawl node remove --cluster") {
		t.Errorf("node list while a node is away: %s", out)
	}
	if _, messages, err := c.crawl("node", "remove", "one"); err == nil || !strings.Contains(messages, "node one: it answers: stop it first") {
		t.Errorf("node remove of a node that answers: %v\n%s", err, messages)
	}
	if _, err := os.Stat(filepath.Join(c.dir, "news.jsonl")); err == nil {
		t.Error("an export that failed has left a file")
	}
	c.start(t, 1)
	c.until(t, func(out string) bool { return out == exports["jsonl"] }, "export", "--job", "news", "--format", "jsonl")
	for format, want := range exports {
		if got := c.must(t, "export", "--job", "news", "--format", format); got != want {
			t.Errorf("--format %s: %d bytes, and %d before the node was stopped", format, len(got), len(want))
		}
	}
}

// answersOfAll asks about single pages of a job of nodes, and for what is told of all of them.
func answersOfAll(t *testing.T, c *cluster, st gatecrawl.Status) {
	t.Helper()
	if out := c.must(t, "check", "--job", "news"); !strings.Contains(out, "0 breaches") {
		t.Errorf("check: %s", out)
	}
	var r struct {
		Status   gatecrawl.Status `json:"status"`
		Verdicts []struct {
			Pages int64 `json:"pages"`
		} `json:"verdicts"`
	}
	if err := json.Unmarshal([]byte(c.must(t, "report", "--job", "news", "--json")), &r); err != nil || r.Status.Pages != st.Pages || len(r.Verdicts) < 3 {
		t.Errorf("report: %v, %d pages, verdicts %v; want %d pages", err, r.Status.Pages, r.Verdicts, st.Pages)
	}
	var near page.Record
	for line := range strings.Lines(c.must(t, "pages", "--job", "news", "--verdict", "copy", "--json")) {
		if err := json.Unmarshal([]byte(line), &near); err != nil {
			t.Fatal(err)
		}
		if near.Level == 5 {
			break
		}
	}
	if out, messages, err := c.crawl("view", "--job", "news", near.URL); err != nil || !strings.Contains(out+messages, near.URL+" is a copy") || !strings.Contains(out+messages, near.Of) {
		t.Errorf("view of a copy: %v\n%s%s", err, out, messages)
	}
	if out := c.must(t, "near", "--job", "news", near.URL); !strings.Contains(out, near.Of) {
		t.Errorf("near %s: %s; want %s", near.URL, out, near.Of)
	}
	if out := c.must(t, "alive", "--job", "news", "--delay", "0s", near.Of); !strings.Contains(out, "itself") {
		t.Errorf("alive: %s", out)
	}
	const nobodys = "http://127.0.0.1:9/nobodys"
	if _, messages, err := c.crawl("alive", "--job", "news", nobodys); err == nil || !strings.Contains(messages, nobodys+": the job news never met it") {
		t.Errorf("alive of a URL that was not met: %v\n%s", err, messages)
	}
	c.must(t, "parts", "--job", "news")
}

// scored reads records as the test web scores them.
func scored(t *testing.T, lines string) (all []score.Record) {
	t.Helper()
	for line := range strings.Lines(lines) {
		var p page.Record
		if err := json.Unmarshal([]byte(line), &p); err != nil {
			t.Fatal(err)
		}
		if p.Status > 0 {
			all = append(all, score.Record{URL: p.URL, Copy: p.Verdict == page.VerdictCopy, Of: p.Of, Level: p.Level, Class: score.Class(p.Class)})
		}
	}
	return all
}

// TestAClusterWithoutNodesSaysSo: the list was empty, without a word, while engines wait for each other.
func TestAClusterWithoutNodesSaysSo(t *testing.T) {
	var out bytes.Buffer
	if err := showNodes(&out, nil, "--cluster 127.0.0.1:4222", false); err != nil || !strings.HasPrefix(out.String(), "no node is up yet") {
		t.Errorf("showNodes of none: %q, %v", out.String(), err)
	}
}
