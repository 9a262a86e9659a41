package main

import (
	"bytes"
	"crypto/tls"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gatecrawl.example/gatecrawl/cluster/jetstream"
)

// TestACertificateThatIsNotTrustedNamesTheFlag: with no authority, with another one, and with the
// address of another machine in the certificate.
func TestACertificateThatIsNotTrustedNamesTheFlag(t *testing.T) {
	dir, other := t.TempDir(), t.TempDir()
	certificates(t, dir)
	certificates(t, other)
	pair, err := tls.LoadX509KeyPair(filepath.Join(dir, "node.pem"), filepath.Join(dir, "node.key"))
	if err != nil {
		t.Fatal(err)
	}
	secret := filepath.Join(dir, "secret")
	if err := os.WriteFile(secret, []byte("0123456789abcdef0123"), 0o600); err != nil {
		t.Fatal(err)
	}
	server, err := jetstream.Serve(jetstream.ServerOptions{
		Name: "engine", Dir: t.TempDir(), Listen: "127.0.0.1:0", Secret: "0123456789abcdef0123",
		TLS: &tls.Config{Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS13},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(server.Close)
	address := server.Addr()
	for _, c := range []struct {
		what, address string
		flags         []string
		want          string
	}{
		{"no authority", address, nil, "--tls-ca FILE"},
		{"another authority", address, []string{"--tls-ca", filepath.Join(other, "ca.pem")}, "--tls-ca " + filepath.Join(other, "ca.pem") + " is not the authority"},
		{"another name", strings.Replace(address, "127.0.0.1", "localhost", 1), []string{"--tls-ca", filepath.Join(dir, "ca.pem")}, "its certificate is for"},
	} {
		var out, said bytes.Buffer
		code := run(append([]string{"status", "--cluster", c.address, "--job", "news", "--secret-file", secret}, c.flags...), nil, &out, &said)
		if code == 0 || !strings.Contains(said.String(), c.want) {
			t.Errorf("%s: exit code %d, %q; want %q in it", c.what, code, said.String(), c.want)
		}
	}
	var out, said bytes.Buffer
	code := run([]string{"status", "--cluster", address, "--job", "news", "--tls-ca", filepath.Join(dir, "ca.pem")}, nil, &out, &said)
	if want := "the server wants a secret: give --secret-file FILE"; code == 0 || !strings.Contains(said.String(), want) {
		t.Errorf("without a secret: exit code %d, %q; want %q in it", code, said.String(), want)
	}
}
