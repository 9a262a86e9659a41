package cli

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"gatecrawl.example/gatecrawl"
	"gatecrawl.example/gatecrawl/cluster/jetstream"
	"gatecrawl.example/gatecrawl/cluster/node"
	"gatecrawl.example/gatecrawl/configs"
	"gatecrawl.example/gatecrawl/control"
	"gatecrawl.example/gatecrawl/fetch/access"
)

// A Cluster has the flags that name a cluster, and connects to it.
type Cluster struct {
	servers    []string
	secretFile string
	caFile     string
	inside     *jetstream.Server
}

// Flags adds --cluster, --secret-file and --tls-ca to cmd.
func (c *Cluster) Flags(cmd *cobra.Command) {
	cmd.Flags().StringSliceVar(&c.servers, "cluster", nil, "the cluster that has the job, by the `ADDRESS`es of its nodes, such as 127.0.0.1:4222; --job is then the job's name there")
	c.SafetyFlags(cmd)
}

// SafetyFlags adds the flags of the secret and the certificates to cmd.
func (c *Cluster) SafetyFlags(cmd *cobra.Command) {
	cmd.Flags().StringVar(&c.secretFile, "secret-file", "", "read the secret of the cluster from `FILE`, of mode 600")
	cmd.Flags().StringVar(&c.caFile, "tls-ca", "", "use TLS, and trust the certificates in `FILE` (PEM) of the other side")
}

// Given reports whether a cluster is named.
func (c *Cluster) Given() bool { return len(c.servers) > 0 }

// Named returns the flags that name the cluster, for a command that is suggested to the user.
func (c *Cluster) Named() string {
	text := "--cluster " + strings.Join(c.servers, ",")
	if c.secretFile != "" {
		text += " --secret-file " + c.secretFile
	}
	if c.caFile != "" {
		text += " --tls-ca " + c.caFile
	}
	return text
}

// CheckJobOfCluster returns an error for a name that no job of a cluster has.
func CheckJobOfCluster(name string) error {
	if err := node.CheckName(name); err != nil {
		return Usagef("--job: a job of a cluster has no folder: %w", err)
	}
	return nil
}

// At sets the servers, as --cluster does.
func (c *Cluster) At(servers ...string) { c.servers = servers }

// Inside makes Connect use the server in this process, without the network.
func (c *Cluster) Inside(s *jetstream.Server) { c.inside = s }

// Secret reads the secret; "": none is given.
func (c *Cluster) Secret() (string, error) {
	if c.secretFile == "" {
		return "", nil
	}
	b, err := access.ReadSecret(c.secretFile)
	if err != nil {
		return "", Usagef("--secret-file: %w", err)
	}
	const least = 16
	if s := strings.TrimSpace(string(b)); len(s) >= least {
		return s, nil
	}
	return "", Usagef("--secret-file: %s has less than %d bytes: write a longer secret, such as the output of openssl rand -hex 16", c.secretFile, least)
}

// TLS returns the certificates that clients trust; nil: connections are not encrypted.
func (c *Cluster) TLS() (*tls.Config, error) {
	if c.caFile == "" {
		return nil, nil
	}
	b, err := os.ReadFile(c.caFile)
	if err != nil {
		return nil, fmt.Errorf("--tls-ca: %w", err)
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(b) {
		return nil, Usagef("--tls-ca: %s has no certificate in PEM", c.caFile)
	}
	return &tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS13}, nil
}

// Connect connects to the cluster.
func (c *Cluster) Connect(ctx context.Context) (*jetstream.Engine, error) {
	o := jetstream.Options{Inside: c.inside}
	var err error
	if o.Secret, err = c.Secret(); err != nil {
		return nil, err
	}
	if o.TLS, err = c.TLS(); err != nil {
		return nil, err
	}
	for _, address := range c.servers {
		local, err := jetstream.Local(address)
		if err != nil {
			return nil, Usagef("%w", err)
		}
		if !local && (o.Secret == "" || o.TLS == nil) {
			return nil, Usagef("other machines can reach %s: give --secret-file and --tls-ca, so that no one else can read or steer the crawl", address)
		}
		o.Servers = append(o.Servers, address)
	}
	e, err := jetstream.Open(ctx, o)
	return e, c.advise(err)
}

// advise adds what to do about a certificate that is not trusted.
func (c *Cluster) advise(err error) error {
	var certificate *tls.CertificateVerificationError
	switch {
	case errors.Is(err, jetstream.ErrNoSecret):
		return fmt.Errorf("%w: give --secret-file FILE, that of the nodes", err)
	case !errors.As(err, &certificate):
		return err
	case c.caFile == "":
		return fmt.Errorf("%w: give --tls-ca FILE, the certificate of the authority that signed those of the nodes", err)
	case errors.As(err, new(x509.HostnameError)):
		return fmt.Errorf("%w: ask for the node by a name or address that its certificate is for", err)
	}
	return fmt.Errorf("%w: --tls-ca %s is not the authority that signed the certificate of that node, or the certificate has expired", err, c.caFile)
}

// With connects, and calls fn with the cluster.
func (c *Cluster) With(ctx context.Context, fn func(e *jetstream.Engine, all *node.Cluster) error) error {
	e, err := c.Connect(ctx)
	if err != nil {
		return err
	}
	defer e.Close()
	all, err := node.Open(ctx, e)
	if err != nil {
		return err
	}
	return fn(e, all)
}

// find connects, and finds a job. The caller closes the engine.
func (c *Cluster) find(ctx context.Context, job string) (*jetstream.Engine, *node.Job, error) {
	e, err := c.Connect(ctx)
	if err != nil {
		return nil, nil, err
	}
	all, err := node.Open(ctx, e)
	var j *node.Job
	if err == nil {
		j, err = all.Job(ctx, job)
	}
	if err != nil {
		return nil, nil, errors.Join(err, e.Close())
	}
	return e, j, nil
}

// Settings returns the settings that a job was started with.
func (c *Cluster) Settings(ctx context.Context, job string) (s configs.Settings, err error) {
	e, j, err := c.find(ctx, job)
	if err != nil {
		return s, err
	}
	defer e.Close()
	return configs.Parse(j.Settings, "the settings of job "+job, configs.Default())
}

// Rows calls fn for every row of a job, as gatecrawl.Inspector.Rows does, except that each
// partition has a snapshot of its own.
func (c *Cluster) Rows(ctx context.Context, job string, want gatecrawl.Wanted, fn func(*gatecrawl.Row) error) error {
	e, j, err := c.find(ctx, job)
	if err != nil {
		return err
	}
	defer e.Close()
	return j.Inspect(e).Rows(ctx, want, fn)
}

// ask answers a question by asking the nodes that have the job.
func (c *Cluster) ask(ctx context.Context, job string, q control.Question) (io.ReadCloser, error) {
	e, j, err := c.find(ctx, job)
	if err != nil {
		return nil, err
	}
	r, w := io.Pipe()
	go func() { // ends with the answer, or when its reader closes
		w.CloseWithError(control.Answer(ctx, j.Inspect(e), q, w))
		e.Close()
	}()
	return r, nil
}
