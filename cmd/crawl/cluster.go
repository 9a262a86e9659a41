package main

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"gatecrawl.example/gatecrawl"
	"gatecrawl.example/gatecrawl/cluster/jetstream"
	"gatecrawl.example/gatecrawl/cluster/node"
	"gatecrawl.example/gatecrawl/cluster/plan"
	"gatecrawl.example/gatecrawl/cmd/crawl/internal/cli"
	"gatecrawl.example/gatecrawl/cmd/crawl/internal/console"
	"gatecrawl.example/gatecrawl/cmd/crawl/internal/version"
	"gatecrawl.example/gatecrawl/configs"
	"gatecrawl.example/gatecrawl/crawl"
	"gatecrawl.example/gatecrawl/frontier"
	"gatecrawl.example/gatecrawl/frontier/seeds"
	"gatecrawl.example/gatecrawl/humanize"
	"gatecrawl.example/gatecrawl/testserver/demo"
)

// A nodeFlags has the flags of crawl node.
type nodeFlags struct {
	cluster   cli.Cluster
	dir, name string
	listen    string
	line      string
	peers     []string
	join      []string
	cert, key string
	away      time.Duration
	standby   bool
	verbose   bool
}

func newNode() *cobra.Command {
	var f nodeFlags
	cmd := &cobra.Command{
		Use:   "node",
		Short: "Crawl together with other machines: be one of them",
		Long: `node crawls this machine's share of the jobs of a cluster, until it is stopped. Jobs
are started by crawl run --cluster. With --listen the node also carries the engine that
connects the nodes (a NATS server): either one node does that, or three or five that
name each other with --peers. With --join it uses the engine of other nodes, or your own
nats-server with JetStream.

A partition of a job is stored in its node's folder and in a log of the engine. If a node
has not answered for --away, the other nodes take over its partitions from the log. A
node that is started again before that, with the same --name, goes on with them, even if
its folder was lost. crawl node drain moves the partitions of a node away before it is
stopped for good, crawl node remove takes one that is gone off the list, and crawl node
spread gives partitions to new nodes.

Addresses that other machines can reach need --secret-file, --tls-cert, --tls-key
and --tls-ca.`,
		Example: `  crawl node --dir one --name one --listen 127.0.0.1:4222
  crawl node --dir two --name two --join 127.0.0.1:4222
  crawl run --cluster 127.0.0.1:4222 --job news --contact me@example.org https://example.org/`,
		Args: cobra.NoArgs,
	}
	fs := cmd.Flags()
	fs.StringVar(&f.dir, "dir", "", "keep the node's partitions and the engine's logs in the folder `DIR`")
	fs.StringVar(&f.name, "name", "", "`NAME` of the node, which must be the same each time; default: the machine's name, with - for each dot")
	fs.StringVar(&f.listen, "listen", "", "carry the engine, and listen for nodes and commands at `ADDRESS`, such as 127.0.0.1:4222")
	fs.StringSliceVar(&f.peers, "peers", nil, "`ADDRESS`es at which the nodes that carry the engine, three or five, reach each other")
	fs.StringVar(&f.line, "line", "", "which `ADDRESS` of --peers is this node's own")
	fs.StringSliceVar(&f.join, "join", nil, "use the engine of another node, or a nats-server, at `ADDRESS`; may be given more than once")
	fs.StringVar(&f.cert, "tls-cert", "", "with --listen: this node's certificate, a PEM `FILE`")
	fs.StringVar(&f.key, "tls-key", "", "the key of --tls-cert, a PEM `FILE`")
	cli.TimeVar(fs, &f.away, "away", time.Minute, "take over the partitions of nodes that have not answered for `DURATION`; must be the same on all nodes")
	fs.BoolVar(&f.standby, "standby", false, "keep copies of the partitions of the previous node in the order of names, to take them over at once; must be given to all nodes")
	fs.BoolVarP(&f.verbose, "verbose", "v", false, "log every page")
	f.cluster.SafetyFlags(cmd)
	cmd.AddCommand(newNodeList(), newDrain(), newRemove(), newSpread())
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if err := f.check(); err != nil {
			return err
		}
		screen := console.NewScreen(cmd.ErrOrStderr())
		ctx, stop := cli.UntilInterrupt(cmd.Context(), screen, "stopping: finishing the pages under way; Ctrl-C again stops at once", func() {})
		defer stop()
		return f.run(ctx, screen)
	}
	return cmd
}

func newNodeList() *cobra.Command {
	var c cli.Cluster
	asJSON := false
	cmd := &cobra.Command{
		Use:     "list",
		Short:   "List the nodes of a cluster and their partitions",
		Example: "  crawl node list --cluster 127.0.0.1:4222",
		Args:    cobra.NoArgs,
	}
	c.Flags(cmd)
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON, one object a line")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if !c.Given() {
			return cli.Usagef("--cluster is missing: the address of a node")
		}
		return c.With(cmd.Context(), func(_ *jetstream.Engine, all *node.Cluster) error {
			nodes, err := all.List(cmd.Context())
			if err != nil {
				return err
			}
			return showNodes(cmd.OutOrStdout(), nodes, c.Named(), asJSON)
		})
	}
	return cmd
}

// showNodes lists nodes. named are the flags that name the cluster, for advice.
func showNodes(w io.Writer, nodes []node.Listed, named string, asJSON bool) error {
	t := console.NewTable(w, "node", "answers", "version", "partitions")
	var closed []string
	for _, n := range nodes {
		if asJSON {
			if err := console.EncodeLine(w, n); err != nil {
				return err
			}
			continue
		}
		answers := "no"
		if n.Up {
			answers = "yes"
		}
		if n.Drained {
			answers += ", drained"
		}
		if n.Other {
			closed = append(closed, fmt.Sprintf("node %s has another version of the program than this command, and gets no partitions: all nodes need the same", n.Name))
		}
		if !n.Up {
			closed = append(closed, fmt.Sprintf("node %s does not answer: start it again, or if it is gone for good: crawl node remove %s %[1]s", n.Name, named))
		}
		var jobs []string
		for _, job := range slices.Sorted(maps.Keys(n.Jobs)) {
			jobs = append(jobs, job+": "+strings.Trim(fmt.Sprint(n.Jobs[job]), "[]"))
		}
		t.Row(n.Name, answers, n.Version, strings.Join(jobs, "; "))
		for _, job := range slices.Sorted(maps.Keys(n.Closed)) {
			closed = append(closed, fmt.Sprintf("node %s, job %s: %s", n.Name, job, n.Closed[job]))
		}
	}
	if asJSON {
		return nil
	}
	if len(nodes) == 0 {
		_, err := fmt.Fprintln(w, "no node is up yet: it takes a node some seconds after its start, and its log says when it is")
		return err
	}
	if err := t.Flush(); err != nil {
		return err
	}
	for _, text := range closed {
		fmt.Fprintln(w, text)
	}
	return nil
}

func (f *nodeFlags) check() error {
	switch {
	case f.dir == "":
		return cli.Usagef("--dir is missing: the folder for the node's partitions")
	case (f.listen == "") == (len(f.join) == 0):
		return cli.Usagef("give --listen ADDRESS to carry the engine, or --join ADDRESS to use one")
	case f.listen == "" && len(f.peers)+len(f.line)+len(f.cert)+len(f.key) > 0:
		return cli.Usagef("--peers, --line, --tls-cert and --tls-key go with --listen")
	case (f.cert == "") != (f.key == ""):
		return cli.Usagef("--tls-cert and --tls-key go together")
	}
	if f.away < time.Second {
		return cli.Usagef("--away is %v: want a second at least", f.away)
	}
	if f.name == "" {
		machine, err := os.Hostname()
		if err != nil {
			return fmt.Errorf("the machine's name: %w: give --name", err)
		}
		f.name = node.NameOf(machine)
	}
	if err := node.CheckName(f.name); err != nil {
		return cli.Usagef("--name: %w", err)
	}
	return nil
}

// run starts the engine, if this node has one, and runs the node until ctx ends.
func (f *nodeFlags) run(ctx context.Context, screen io.Writer) error {
	log := cli.NewLog(screen, f.verbose, false)
	if err := os.MkdirAll(f.dir, 0o700); err != nil {
		return err
	}
	unlock, err := node.Lock(f.dir)
	if err != nil {
		return err
	}
	defer unlock()
	f.cluster.At(f.join...)
	if f.listen != "" {
		server, err := f.serve(ctx, log)
		if err != nil {
			return err
		}
		defer func() {
			messages, bytes := server.Traffic()
			log.Info("the engine ends", "messages", messages, "bytes", bytes)
			server.Close()
		}()
		f.cluster.At(f.self(server.Addr()))
		if len(f.peers) == 0 { // otherwise another of them may answer where this one does not
			f.cluster.Inside(server)
		}
	}
	e, err := f.cluster.Connect(ctx)
	if err != nil {
		return err
	}
	defer e.Close()
	defer cli.BoundGarbage(crawlGarbage)()
	return node.Run(ctx, node.Options{
		Name: f.name, Dir: f.dir, Engine: e, Log: log, Away: f.away, Standby: f.standby,
		Crawl: crawl.Options{Log: log, Version: version.Short()},
	})
}

// self returns the address at which this node reaches its own engine, which listens at addr: by the
// name that was given, since the certificate is for that. If the engine listens on all addresses of
// the machine, the host is that of line, or else the loopback address.
func (f *nodeFlags) self(addr string) string {
	host, _, _ := net.SplitHostPort(f.listen) // the engine listens on it already
	_, port, _ := net.SplitHostPort(addr)
	if ip := net.ParseIP(host); host == "" || ip != nil && ip.IsUnspecified() {
		host = "127.0.0.1"
		if f.line != "" {
			host, _, _ = net.SplitHostPort(f.line)
		}
	}
	return net.JoinHostPort(host, port)
}

// serve starts the engine in this process.
func (f *nodeFlags) serve(ctx context.Context, log *slog.Logger) (*jetstream.Server, error) {
	o := jetstream.ServerOptions{Name: f.name, Dir: filepath.Join(f.dir, "engine"), Listen: f.listen, Peers: f.peers, Line: f.line, Log: log}
	var err error
	if o.Secret, err = f.cluster.Secret(); err != nil {
		return nil, err
	}
	if o.TLS, err = f.cluster.TLS(); err != nil {
		return nil, err
	}
	if f.cert != "" || f.key != "" {
		pair, err := tls.LoadX509KeyPair(f.cert, f.key)
		if err != nil {
			return nil, cli.Usagef("--tls-cert and --tls-key: %w", err)
		}
		if o.TLS == nil {
			return nil, cli.Usagef("--tls-ca is missing: a file of the certificates that the nodes trust")
		}
		o.TLS.Certificates = []tls.Certificate{pair}
	} else {
		o.TLS = nil // the engine has no certificate
	}
	s, err := jetstream.Serve(o)
	if errors.Is(err, jetstream.ErrUnsafe) {
		return nil, cli.Usagef("%w: --secret-file, --tls-cert, --tls-key and --tls-ca name them", err)
	}
	if err != nil {
		return nil, cli.Usagef("%w", err)
	}
	log.Info("the engine starts", "listen", f.listen)
	if err := s.Ready(ctx); err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

// A clusterRun starts a job in a cluster, and waits for its end.
type clusterRun struct {
	cluster cli.Cluster
	detach  bool
}

// run starts a job, and returns when it is done or stopped.
func (r *clusterRun) run(cmd *cobra.Command, name string, s configs.Settings, asJSON bool) error {
	if err := node.Refuse(&s); err != nil {
		return cli.Usagef("%w", err)
	}
	if err := r.mayAsk(&s); err != nil {
		return err
	}
	screen := console.NewScreen(cmd.ErrOrStderr())
	return r.cluster.With(cmd.Context(), func(e *jetstream.Engine, all *node.Cluster) error {
		if err := start(cmd.Context(), all, name, s); err != nil {
			return err
		}
		fmt.Fprintf(screen, "job %s has started; crawl status --cluster shows it, crawl stop --cluster stops it\n", name)
		if r.detach {
			return nil
		}
		ctx, stop := cli.UntilInterrupt(cmd.Context(), screen, "the job goes on without this command; crawl stop --cluster stops it", func() {})
		defer stop()
		local := &job{settings: s, screen: screen}
		watched := r.watch(ctx, screen, local.log(), time.Duration(s.LogEvery), statusOf(e, all, name))
		j, err := wait(ctx, all, name)
		watched()
		if err != nil || j == nil {
			return err
		}
		st, err := j.Inspect(e).Status(ctx)
		if err != nil {
			return err
		}
		r.tellEnd(screen, st)
		if asJSON {
			if err := json.NewEncoder(cmd.OutOrStdout()).Encode(st); err != nil {
				return err
			}
		}
		if j.State == node.Stopped {
			return cli.Silent(cli.CodeOfEnd(cli.End{Ended: gatecrawl.Interrupted}))
		}
		return nil
	})
}

// statusOf returns a function that asks for the current status of a job, whose partitions may have
// moved.
func statusOf(e *jetstream.Engine, all *node.Cluster, job string) func(context.Context) (gatecrawl.Status, error) {
	return func(ctx context.Context) (gatecrawl.Status, error) {
		j, err := all.Job(ctx, job)
		if err != nil {
			return gatecrawl.Status{}, err
		}
		return j.Inspect(e).Status(ctx)
	}
}

// mayAsk returns an error for a crawl off this machine without a contact, and for one without
// seeds.
func (r *clusterRun) mayAsk(s *configs.Settings) error {
	if len(s.URL) == 0 {
		return cli.Usagef("no seeds: give URLs; crawl resume --cluster goes on with a job that was stopped")
	}
	for _, text := range s.URL {
		u, err := seeds.Parse(text)
		if err != nil {
			return cli.Usagef("%w", err)
		}
		if s.Contact == "" && !u.Loopback() {
			return cli.Usagef("%w", cli.NeedContact("", u))
		}
	}
	return nil
}

// start starts a job on the nodes that answer now, with one partition for each or as many as the
// settings say.
func start(ctx context.Context, all *node.Cluster, job string, s configs.Settings) error {
	nodes, err := all.Nodes(ctx)
	if err != nil {
		return err
	}
	if len(nodes) == 0 {
		return errors.New("no node answers: start crawl node on each machine")
	}
	n := s.Partitions
	if n == 0 {
		n = len(nodes)
	}
	if n > frontier.MaxPartitions {
		return cli.Usagef("--partitions is %d: at most %d", n, frontier.MaxPartitions)
	}
	s.Partitions = 0
	var text bytes.Buffer
	if err := s.WriteYAML(&text); err != nil {
		return err
	}
	return all.Start(ctx, job, text.Bytes(), plan.Assign(make([]plan.Partition, n), nodes))
}

// wait waits until a job is done or stopped, and returns it; nil if ctx ends first.
func wait(ctx context.Context, all *node.Cluster, job string) (*node.Job, error) {
	j, err := all.Await(ctx, job, func(j *node.Job) bool { return j.State == node.Done || j.State == node.Stopped })
	if ctx.Err() != nil {
		return nil, nil
	}
	return j, err
}

// crawlWithNodes crawls with nodes in this process, connected by an engine on a loopback address,
// and calls read when the job is done. Each node and the engine have a folder in dir.
func crawlWithNodes(ctx context.Context, dir string, nodes int, s configs.Settings, read func(demo.Job, gatecrawl.Status) error) (err error) {
	server, err := jetstream.Serve(jetstream.ServerOptions{Name: "engine", Dir: filepath.Join(dir, "engine"), Listen: "127.0.0.1:0"})
	if err != nil {
		return err
	}
	defer server.Close()
	if err := server.Ready(ctx); err != nil {
		return err
	}
	e, err := jetstream.Open(ctx, jetstream.Options{Servers: []string{server.Addr()}, Inside: server})
	if err != nil {
		return err
	}
	defer e.Close()
	all, err := node.Open(ctx, e)
	if err != nil {
		return err
	}
	ctx, end := context.WithCancel(ctx)
	errs := make(chan error, nodes)
	var up sync.WaitGroup
	defer func() {
		end()
		up.Wait()
		close(errs)
		for fault := range errs {
			err = errors.Join(err, fault)
		}
	}()
	for i := range nodes {
		up.Go(func() { // ends with ctx, or on an error
			errs <- runNode(ctx, server.Addr(), dir, fmt.Sprintf("node-%d", i+1))
			end()
		})
	}
	for {
		here, err := all.Nodes(ctx)
		if err != nil {
			return ended(ctx, err)
		}
		if len(here) == nodes {
			break
		}
	}
	const job = "demo"
	if err := start(ctx, all, job, s); err != nil {
		return ended(ctx, err)
	}
	j, err := wait(ctx, all, job)
	if err != nil || j == nil {
		return ended(ctx, err)
	}
	in := j.Inspect(e)
	st, err := in.Status(ctx)
	if err != nil {
		return err
	}
	return read(in, st)
}

// ended returns an error, or the exit code of an interruption if ctx has ended.
func ended(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return cli.Silent(cli.CodeOfEnd(cli.End{Ended: gatecrawl.Interrupted}))
	}
	return err
}

// runNode runs a node with a name until ctx ends.
func runNode(ctx context.Context, server, dir, name string) error {
	e, err := jetstream.Open(ctx, jetstream.Options{Servers: []string{server}})
	if err != nil {
		return err
	}
	defer e.Close()
	return node.Run(ctx, node.Options{Name: name, Dir: filepath.Join(dir, name), Engine: e, Crawl: crawl.Options{Version: version.Short()}})
}

func newStop() *cobra.Command {
	var c cli.Cluster
	var job string
	cmd := &cobra.Command{
		Use:   "stop",
		Short: "Stop a running crawl",
		Long: `stop lets a running crawl finish the pages in hand and then ends its run, as Ctrl-C and
SIGTERM do; crawl run continues it. A schedule (--every) ends too. In a cluster all nodes
stop the job, and crawl resume continues it.`,
		Example: `  crawl stop --job news
  crawl stop --cluster 127.0.0.1:4222 --job news`,
		Args: cobra.NoArgs,
	}
	cmd.Flags().StringVar(&job, "job", cli.DefaultJob, "the job's folder `DIR`, or its name in a cluster")
	c.Flags(cmd)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if !c.Given() {
			return stop(cmd, job)
		}
		return steerCluster(cmd, &c, "stop", job, (*node.Cluster).Stop)
	}
	return cmd
}

// addInCluster adds start URLs to a job of a cluster.
func addInCluster(cmd *cobra.Command, at *cli.Cluster, job string, urls, files []string) error {
	if len(files) > 0 {
		return cli.Usagef("--seeds does not go with --cluster: give the URLs themselves")
	}
	for i, text := range urls {
		u, err := seeds.Parse(text)
		if err != nil {
			return cli.Usagef("%w", err)
		}
		urls[i] = u.String()
	}
	return at.With(cmd.Context(), func(_ *jetstream.Engine, all *node.Cluster) error {
		if err := all.AddSeeds(cmd.Context(), job, urls); err != nil {
			return err
		}
		j, err := all.Job(cmd.Context(), job)
		if err != nil {
			return err
		}
		then := ""
		if j.State != node.Running {
			then = fmt.Sprintf(", which is %s: crawl resume --cluster lets it go on", j.State)
		}
		_, err = fmt.Fprintf(cmd.OutOrStdout(), "%s given to job %s%s\n", humanize.Many(len(urls), "URL is", "URLs are"), job, then)
		return err
	})
}
