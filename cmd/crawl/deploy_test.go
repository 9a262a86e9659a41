package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
)

// nodeOf parses arguments as crawl node does, up to where files would be read.
func nodeOf(t *testing.T, args []string) (listen, line string, peers, join []string) {
	t.Helper()
	cmd, rest, err := newRoot().Find(args)
	if err == nil {
		err = cmd.ParseFlags(rest)
	}
	if err != nil || cmd.Name() != "node" || cmd.Flags().NArg() > 0 {
		t.Fatalf("%v: %v, command %s, left %v", args, err, cmd.Name(), cmd.Flags().Args())
	}
	fs := cmd.Flags()
	text := func(name string) string { return fs.Lookup(name).Value.String() }
	peers, _ = fs.GetStringSlice("peers")
	join, _ = fs.GetStringSlice("join")
	away, _ := fs.GetDuration("away")
	f := nodeFlags{away: away, dir: text("dir"), name: text("name"), listen: text("listen"), line: text("line"), peers: peers, join: join, cert: text("tls-cert"), key: text("tls-key")}
	if err := f.check(); err != nil {
		t.Errorf("%v: %v", args, err)
	}
	if text("secret-file") == "" || text("tls-ca") == "" || (f.listen != "") != (f.cert != "" && f.key != "") {
		t.Errorf("%v: others can reach it, and it has no secret and TLS", args)
	}
	if f.listen != "" && (len(peers) != 3 || !slices.Contains(peers, f.line)) {
		t.Errorf("%v: %s is not one of three peers", args, f.line)
	}
	return f.listen, f.line, peers, join
}

func addressHost(t *testing.T, address string) string {
	t.Helper()
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		t.Fatal(err)
	}
	return host
}

// readDocuments reads a file of YAML.
func readDocuments[T any](t *testing.T, file string) (all []T) {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for dec := yaml.NewDecoder(bytes.NewReader(b)); ; {
		var d T
		if err := dec.Decode(&d); err == io.EOF {
			return all
		} else if err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		all = append(all, d)
	}
}

// TestTheImageHasWhatTheProgramNeeds reads the Dockerfile, where no Docker builds it: its commands are
// the program's, its Go is the module's, what it copies is there, and another user than root has
// folders for a job and for temporary files.
func TestTheImageHasWhatTheProgramNeeds(t *testing.T) {
	b, err := os.ReadFile("../../deploy/Dockerfile")
	if err != nil {
		t.Fatal(err)
	}
	build, image, ok := strings.Cut(strings.ReplaceAll(string(b), "\\\n", " "), "\nFROM scratch\n")
	if !ok {
		t.Fatal("the image is not made from scratch")
	}
	mod, err := os.ReadFile("../../go.mod")
	if err != nil {
		t.Fatal(err)
	}
	version := regexp.MustCompile(`(?m)^go (\d+\.\d+)`).FindSubmatch(mod)
	if !strings.Contains(build, "\nFROM golang:"+string(version[1])+" AS build\n") {
		t.Errorf("the Go that builds is not the module's, %s", version[1])
	}
	copied := map[string]string{} // by where it goes
	only := map[string]string{}
	for line := range strings.Lines(image) {
		words := strings.Fields(line)
		if len(words) < 2 {
			continue
		}
		switch words[0] {
		case "COPY":
			words = slices.DeleteFunc(words[1:], func(w string) bool { return strings.HasPrefix(w, "--") })
			for _, from := range words[:len(words)-1] {
				copied[words[len(words)-1]] = from
				if file, is := strings.CutPrefix(from, "/src/"); is {
					if _, err := os.Stat("../../" + file); err != nil {
						t.Error(err)
					}
				} else if !strings.HasPrefix(from, "/etc/ssl/") && !strings.HasPrefix(from, "/usr/share/zoneinfo") && !strings.Contains(build, from) {
					t.Errorf("%s is copied, and nothing makes it", from)
				}
			}
		case "USER", "WORKDIR", "VOLUME", "ENTRYPOINT", "CMD":
			only[words[0]] = words[1]
		case "HEALTHCHECK":
			_, only[words[0]], _ = strings.Cut(strings.TrimSpace(line), " CMD ")
		}
	}
	for _, folder := range []string{"/data", "/tmp"} {
		if copied[folder] == "" || !strings.Contains(image, "--chown="+only["USER"]+" "+copied[folder]+" "+folder+"\n") {
			t.Errorf("the user %s has no folder %s", only["USER"], folder)
		}
	}
	if strings.HasPrefix(only["USER"], "0") || only["USER"] == "" || only["VOLUME"] != "/data" || only["WORKDIR"] != "/data" || only["ENTRYPOINT"] != `["/crawl"]` || copied["/crawl"] != "/crawl" {
		t.Errorf("%v, %v", only, copied)
	}
	var health []string
	if err := json.Unmarshal([]byte(only["HEALTHCHECK"]), &health); err != nil || len(health) == 0 || health[0] != "/crawl" {
		t.Fatalf("health check %q: %v", only["HEALTHCHECK"], err)
	}
	if fault := notTaken(newRoot(), strings.Join(append([]string{"crawl"}, health[1:]...), " ")); fault != "" {
		t.Errorf("%v: %s", health, fault)
	}
	for _, line := range regexp.MustCompile(`(?m)^# docker run .* crawl (run .*)$`).FindAllStringSubmatch(string(b), -1) {
		if fault := notTaken(newRoot(), "crawl "+line[1]); fault != "" {
			t.Errorf("%s: %s", line[0], fault)
		}
	}
}

func TestTheNodesOfComposeCanBeStarted(t *testing.T) {
	type compose struct {
		Services map[string]struct {
			Command     []string
			Volumes     []string
			Healthcheck struct{ Test []string }
			ReadOnly    bool `yaml:"read_only"`
		}
		Volumes map[string]any
	}
	file := readDocuments[compose](t, "../../deploy/compose-nodes.yaml")[0]
	if len(file.Services) != 3 {
		t.Fatalf("%d services, want 3 nodes", len(file.Services))
	}
	for name, s := range file.Services {
		listen, line, peers, _ := nodeOf(t, s.Command)
		if addressHost(t, listen) != name || addressHost(t, line) != name {
			t.Errorf("%s listens as %s and %s", name, listen, line)
		}
		for _, p := range peers {
			if _, ok := file.Services[addressHost(t, p)]; !ok {
				t.Errorf("%s has the peer %s, which is no service", name, p)
			}
		}
		if _, ok := file.Volumes[name]; !ok || !slices.Contains(s.Volumes, name+":/data") || !s.ReadOnly {
			t.Errorf("%s has no volume of its own: %v", name, s.Volumes)
		}
		if fault := notTaken(newRoot(), strings.Join(append([]string{"crawl"}, s.Healthcheck.Test[2:]...), " ")); fault != "" || s.Healthcheck.Test[1] != "/crawl" {
			t.Errorf("%s: %v: %s", name, s.Healthcheck.Test, fault)
		}
	}
}

func TestTheNodesOfKubernetesCanBeStarted(t *testing.T) {
	type object struct {
		Kind     string
		Metadata struct{ Name string }
		Spec     struct {
			ServiceName          string `yaml:"serviceName"`
			ClusterIP            string `yaml:"clusterIP"`
			MaxUnavailable       int    `yaml:"maxUnavailable"`
			PublishNotReady      bool   `yaml:"publishNotReadyAddresses"`
			Replicas             int
			Ports                []struct{ Port int }
			VolumeClaimTemplates []struct{ Metadata struct{ Name string } } `yaml:"volumeClaimTemplates"`
			Template             struct {
				Metadata struct{ Labels map[string]string }
				Spec     struct {
					Volumes    []struct{ Name string }
					Affinity   map[string]any
					Containers []struct {
						Args         []string
						VolumeMounts []struct {
							Name string
							Path string `yaml:"mountPath"`
						} `yaml:"volumeMounts"`
					}
				}
			}
		}
	}
	of := make(map[string]object)
	for _, o := range readDocuments[object](t, "../../deploy/k8s.yaml") {
		of[o.Kind+" "+o.Metadata.Name] = o
	}
	if s := of["Service crawl"]; s.Spec.ClusterIP != "None" || !s.Spec.PublishNotReady || len(s.Spec.Ports) != 2 {
		t.Errorf("service %+v: the engines have to find each other by name before they are ready", s.Spec)
	}
	if b := of["PodDisruptionBudget crawl"]; b.Spec.MaxUnavailable != 1 {
		t.Errorf("%d nodes may be away at once", b.Spec.MaxUnavailable)
	}
	var engines []string
	for _, name := range []string{"crawl", "crawl-more"} {
		set := of["StatefulSet "+name]
		pod := set.Spec.Template.Spec
		if set.Spec.ServiceName != "crawl" || len(pod.Containers) != 1 || set.Spec.Template.Metadata.Labels["app"] != "crawl" {
			t.Fatalf("stateful set %s: %+v", name, set.Spec)
		}
		claimed := map[string]bool{}
		for _, c := range set.Spec.VolumeClaimTemplates {
			claimed[c.Metadata.Name] = true
		}
		for _, m := range pod.Containers[0].VolumeMounts {
			if m.Path == "/data" && !claimed[m.Name] {
				t.Errorf("%s: /data is no claim", name)
			}
		}
		for i := range max(set.Spec.Replicas, 1) {
			args := slices.Clone(pod.Containers[0].Args)
			for k := range args {
				args[k] = strings.ReplaceAll(args[k], "$(POD)", fmt.Sprintf("%s-%d", name, i))
			}
			_, line, peers, join := nodeOf(t, args)
			if name == "crawl" {
				if engines = append(engines, addressHost(t, line)); len(peers) != set.Spec.Replicas {
					t.Errorf("%d peers of %d pods", len(peers), set.Spec.Replicas)
				}
				if addressHost(t, peers[i]) != addressHost(t, line) || pod.Affinity == nil {
					t.Errorf("pod %d is %s, and the peers are %v", i, line, peers)
				}
				continue
			}
			for _, address := range join {
				if !slices.Contains(engines, addressHost(t, address)) {
					t.Errorf("%s joins %s, which carries no engine: %v do", name, address, engines)
				}
			}
		}
	}
}

// The unit's lines ExecStart, that of the drop-in too, are taken with what node.env may say.
func TestTheUnitOfANodeCanBeStarted(t *testing.T) {
	b, err := os.ReadFile("../../deploy/systemd/crawl-node.service")
	if err != nil {
		t.Fatal(err)
	}
	text := string(b)
	env := regexp.MustCompile(`(?m)^#   CRAWL_NODE=(.*)$`).FindAllStringSubmatch(text, -1)
	starts := regexp.MustCompile(`(?m)^(#   )?ExecStart=/usr/bin/crawl (.*)$`).FindAllStringSubmatch(text, -1)
	if len(env) != 2 || len(starts) != 2 {
		t.Fatalf("%d examples of CRAWL_NODE and %d lines ExecStart, want 2 and 2", len(env), len(starts))
	}
	for _, s := range starts {
		flags := env[0][1]
		if s[1] != "" { // the drop-in is for what joins
			flags = env[1][1]
		}
		line := strings.NewReplacer("$CRAWL_NODE", flags, "${CREDENTIALS_DIRECTORY}", "/run/credentials/crawl-node.service").Replace(s[2])
		nodeOf(t, strings.Fields(line))
		for _, m := range regexp.MustCompile(`crawl-node\.service/(\S+)`).FindAllStringSubmatch(line, -1) {
			if !strings.Contains(text, "\nLoadCredential="+m[1]+":") {
				t.Errorf("%s is no credential of the unit", m[1])
			}
		}
	}
	for _, want := range []string{"Restart=always", "RestartPreventExitStatus=2", "KillMode=mixed"} {
		if !strings.Contains(text, "\n"+want+"\n") {
			t.Errorf("the unit has no %s", want)
		}
	}
}

func TestANodeAsksItsOwnEngineByTheNameOfItsCertificate(t *testing.T) {
	for _, c := range [][4]string{
		{"127.0.0.1:0", "", "127.0.0.1:4222", "127.0.0.1:4222"}, {"one:4222", "one:6222", "172.18.0.2:4222", "one:4222"},
		{"0.0.0.0:4222", "crawl-0.crawl:6222", "0.0.0.0:4222", "crawl-0.crawl:4222"}, {":4222", "", "[::]:4222", "127.0.0.1:4222"},
	} {
		f := nodeFlags{listen: c[0], line: c[1]}
		if got := f.self(c[2]); got != c[3] {
			t.Errorf("--listen %s --line %s: %s, want %s", c[0], c[1], got, c[3])
		}
	}
}

// TestEachPackageHasCompletionsWhereItsShellLooks: zsh has a folder for packages of its own in
// Debian, and another one elsewhere.
func TestEachPackageHasCompletionsWhereItsShellLooks(t *testing.T) {
	b, err := os.ReadFile("../../deploy/nfpm.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"dst: /usr/share/zsh/vendor-completions/_crawl, packager: deb}",
		"dst: /usr/share/zsh/site-functions/_crawl, packager: rpm}",
	} {
		if !strings.Contains(string(b), want) {
			t.Errorf("deploy/nfpm.yaml has no line with %q", want)
		}
	}
}
