package gatecrawl_test

import (
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gatecrawl.example/gatecrawl/testserver/slow"
)

// mayImport is the table of docs/design.md: which of our packages each package
// may import. A package that is not named may import nothing of ours.
var mayImport = map[string][]string{
	".":                              {"dedup", "fetch", "fetch/feed", "fetch/robots", "frontier", "frontier/seeds", "frontier/weburl", "limit", "mirror", "mirror/dust", "mirror/linkrot", "mirror/soft404", "page", "priority", "priority/focus", "purify", "purify/document", "purify/requisites", "purify/words", "warc"},
	"bench":                          {"dedup", "purify", "purify/truth"},
	"cmd/crawl":                      {".", "cluster/jetstream", "cluster/node", "cluster/plan", "cmd/crawl/internal/cli", "cmd/crawl/internal/console", "cmd/crawl/internal/duplicates", "cmd/crawl/internal/inspect", "cmd/crawl/internal/topics", "cmd/crawl/internal/urls", "cmd/crawl/internal/version", "cmd/crawl/internal/view", "configs", "control", "control/api", "control/board", "control/guard", "control/hook", "control/live", "control/metrics", "corpus/labelled", "crawl", "dedup/methods", "earlier", "export", "fetch", "fetch/access", "frontier", "frontier/seeds", "frontier/weburl", "humanize", "mirror", "mirror/dust", "page", "purify/document", "testserver", "testserver/demo", "testserver/score", "testserver/topics"},
	"cmd/crawl/internal/cli":         {".", "cluster/jetstream", "cluster/node", "cmd/crawl/internal/version", "configs", "control", "corpus/single", "crawl", "dedup", "durable", "fetch", "fetch/access", "frontier/seeds", "frontier/weburl", "humanize", "page", "purify", "purify/document", "store"},
	"cmd/crawl/internal/duplicates":  {".", "cmd/crawl/internal/cli", "cmd/crawl/internal/console", "cmd/crawl/internal/inspect", "configs", "control", "control/guard", "corpus", "corpus/category", "corpus/experiment", "corpus/labelled", "corpus/single", "crawl", "dedup", "dedup/exam", "dedup/index", "dedup/index/lab", "dedup/methods", "dedup/methods/search", "earlier", "fold", "frontier/seeds", "frontier/weburl", "humanize", "judge", "mirror", "page", "purify", "store"},
	"cmd/crawl/internal/inspect":     {".", "cmd/crawl/internal/cli", "cmd/crawl/internal/console", "cmd/crawl/internal/topics", "cmd/crawl/internal/version", "configs", "control", "corpus", "crawl", "dedup", "export", "export/sheet", "fetch", "frontier/seeds", "frontier/weburl", "humanize", "mirror", "mirror/dust", "mirror/linkrot", "mirror/picture", "page", "purify", "report", "store"},
	"cmd/crawl/internal/topics":      {".", "cmd/crawl/internal/cli", "cmd/crawl/internal/console", "configs", "control", "crawl", "frontier/seeds", "frontier/weburl", "humanize", "page", "priority/focus", "priority/focus/replay"},
	"cmd/crawl/internal/urls":        {"cmd/crawl/internal/cli", "cmd/crawl/internal/console", "cmd/crawl/internal/version", "configs", "corpus", "fetch", "fetch/robots", "frontier/weburl", "humanize"},
	"cmd/crawl/internal/view":        {".", "cmd/crawl/internal/cli", "cmd/crawl/internal/console", "control", "corpus", "corpus/category", "corpus/single", "dedup", "fetch", "frontier/seeds", "frontier/weburl", "humanize", "page", "purify", "purify/document", "purify/structure"},
	"cmd/train-purify":               {"dedup", "purify/body", "purify/forest", "purify/truth"},
	"configs":                        {".", "dedup", "dedup/index", "fetch", "fetch/access", "fetch/render", "frontier", "frontier/seeds", "frontier/weburl", "mirror", "mirror/dust", "priority", "store", "warc"},
	"control":                        {".", "control/board", "dedup", "fold", "frontier", "frontier/weburl", "humanize", "limit", "mirror", "mirror/dust", "mirror/linkrot", "page", "purify", "report"},
	"control/board":                  {"page"},
	"control/api":                    {"control"},
	"control/live":                   {".", "control", "control/board", "control/style", "frontier", "humanize", "limit", "page"},
	"control/metrics":                {".", "page"},
	"control/style":                  {"humanize"},
	"corpus":                         {".", "dedup", "dedup/methods", "dedup/methods/search", "dedup/parts", "fetch", "frontier/weburl", "humanize", "mirror", "page", "purify", "purify/charset", "purify/document", "scratch", "store/kv", "store/kv/disk", "store/kv/row", "warc"},
	"corpus/category":                {"priority"},
	"corpus/single":                  {".", "corpus", "dedup", "fetch", "fetch/feed", "frontier/weburl", "page", "purify", "purify/document"},
	"corpus/experiment":              {"corpus", "corpus/labelled", "cputime", "dedup", "dedup/exam", "dedup/index", "dedup/index/lab", "dedup/methods", "humanize"},
	"corpus/labelled":                {"corpus", "dedup/exam", "dedup/mainpart", "dedup/methods", "humanize", "purify", "purify/charset", "testserver/score"},
	"crawl":                          {".", "cluster", "configs", "corpus", "corpus/category", "dedup", "durable", "earlier", "fetch", "fetch/access", "fetch/render", "frontier", "frontier/seeds", "frontier/weburl", "page", "priority", "priority/focus", "purify", "purify/charset", "purify/markup", "purify/words", "store", "warc"},
	"dedup":                          {"frontier/weburl", "dedup/index", "dedup/internal/hashset", "dedup/internal/naming", "dedup/internal/paging", "dedup/internal/sketch", "dedup/internal/slug", "dedup/internal/token", "dedup/passage", "purify", "purify/words", "splitmix"},
	"dedup/internal/naming":          {"dedup/internal/hashset", "dedup/internal/slug", "dedup/internal/token"},
	"dedup/internal/paging":          {"frontier/weburl", "purify"},
	"dedup/passage":                  {"dedup/internal/hashset", "dedup/internal/token"},
	"dedup/internal/sketch":          {"dedup/index", "dedup/internal/token", "splitmix"},
	"dedup/internal/slug":            {"dedup/internal/token"},
	"dedup/internal/token":           {"dedup/internal/hashset", "splitmix"},
	"dedup/index":                    {"dedup/index/internal/lanes", "durable", "mmap"},
	"dedup/index/lab":                {"cputime", "dedup/index", "dedup/index/internal/lanes", "splitmix"},
	"dedup/methods":                  {"dedup", "dedup/index", "dedup/internal/hashset", "dedup/passage", "splitmix"},
	"earlier":                        {".", "corpus", "dedup", "page", "purify", "store/kv", "store/kv/disk", "store/kv/row", "warc"},
	"export":                         {".", "dedup", "durable", "export/sheet", "frontier/weburl", "page", "purify", "purify/charset", "purify/structure", "warc", "warc/wacz"},
	"dedup/exam":                     {"cputime", "dedup/methods"},
	"dedup/methods/search":           {"dedup/methods", "scratch", "splitmix"},
	"fetch":                          {"fetch/access", "fetch/feed", "fetch/robots", "frontier", "frontier/weburl", "limit"},
	"fetch/access":                   {"durable", "frontier/weburl"},
	"fetch/collygate":                {"dedup", "fetch", "page", "purify"},
	"fetch/feed":                     {"frontier/weburl"},
	"fetch/render":                   {"fetch", "frontier/weburl"},
	"fetch/robots":                   {"frontier/weburl", "store/kv"},
	"fold":                           {"dedup", "dedup/methods", "frontier/weburl", "limit", "splitmix"},
	"frontier":                       {"frontier/seeds", "frontier/weburl", "priority"},
	"frontier/queue/internal/recent": {"frontier/weburl"},
	"frontier/queue/check":           {"frontier/queue", "frontier/seen", "frontier/weburl", "store/kv"},
	"frontier/seeds":                 {"fetch/feed", "frontier/weburl", "priority"},
	"frontier/seen":                  {"mmap"},
	"judge":                          {".", "control/style", "dedup", "dedup/exam", "dedup/passage", "durable", "page", "splitmix"},
	"linkgraph":                      {"durable", "frontier/weburl", "store/kv", "store/kv/row"},
	"mirror":                         {"frontier/weburl", "limit"},
	"mirror/dust":                    {"dedup", "frontier", "frontier/weburl", "page", "splitmix", "store/kv", "store/kv/row"},
	"mirror/linkrot":                 {"dedup", "fetch", "frontier/weburl", "mirror", "page", "purify", "store/kv"},
	"mirror/picture":                 {"humanize", "mirror"},
	"mirror/soft404":                 {"dedup", "frontier/weburl", "limit", "mirror", "mirror/linkrot"},
	"mirror/twins":                   {"dedup", "frontier", "frontier/weburl", "limit", "mirror", "page", "store/kv", "store/kv/row"},
	"page":                           {"dedup", "fetch/robots", "frontier", "frontier/weburl", "purify", "store/kv", "store/kv/row"},
	"purify":                         {"fetch/feed", "purify/blocks", "purify/body", "purify/charset", "purify/css", "purify/document", "purify/hint", "purify/internal/reuse", "purify/markup", "purify/metadata", "purify/words", "splitmix"},
	"priority/focus":                 {"priority"},
	"purify/blocks":                  {"purify/css", "purify/hint", "purify/internal/reuse", "purify/markup", "splitmix"},
	"purify/body":                    {"purify/blocks", "purify/charset", "purify/forest", "purify/hint", "purify/internal/reuse", "purify/markup", "purify/metadata", "purify/words", "splitmix"},
	"purify/document":                {"purify/document/postscript"},
	"purify/forest":                  {"purify/internal/reuse"},
	"purify/hint":                    {"purify/markup"},
	"purify/metadata":                {"purify/blocks", "purify/hint", "purify/markup", "purify/words"},
	"purify/structure":               {"purify/charset", "purify/markup"},
	"purify/template":                {"dedup", "frontier", "frontier/weburl", "page", "purify", "store/kv", "store/kv/row"},
	"purify/words":                   {"purify/markup"},
	"store":                          {".", "dedup", "dedup/group", "dedup/index", "dedup/parts", "fetch/robots", "frontier", "frontier/queue", "frontier/seen", "frontier/weburl", "linkgraph", "mirror", "mirror/dust", "mirror/linkrot", "mirror/twins", "page", "priority", "purify", "purify/template", "purify/words", "store/archive", "store/folder", "store/integrity", "store/job", "store/kv", "store/kv/disk", "store/letter", "store/mail", "store/query", "store/requisite", "store/revisit", "warc/segment"},
	"store/archive":                  {"durable", "page", "purify", "store/job", "store/kv", "warc", "warc/segment"},
	"store/integrity":                {".", "dedup", "dedup/group", "dedup/index", "dedup/parts", "frontier", "frontier/queue", "frontier/queue/check", "frontier/seen", "frontier/weburl", "linkgraph", "mirror", "mirror/dust", "mirror/twins", "page", "priority", "purify/template", "store/archive", "store/job", "store/kv", "store/kv/disk", "store/mail", "store/requisite", "store/revisit", "warc/segment"},
	"store/job":                      {"dedup", "frontier/queue", "frontier/weburl", "page", "purify", "store/kv", "store/revisit", "warc/segment"},
	"store/query":                    {".", "dedup", "dedup/group", "dedup/parts", "fetch/robots", "frontier/queue", "frontier/weburl", "limit", "linkgraph", "mirror", "mirror/dust", "mirror/twins", "page", "priority", "purify", "store/archive", "store/job", "store/kv", "store/requisite", "store/revisit"},
	"store/requisite":                {".", "dedup", "frontier", "frontier/queue", "frontier/weburl", "page", "store/archive", "store/job", "store/kv", "warc"},
	"report":                         {".", "control/style", "export/sheet", "frontier", "frontier/weburl", "mirror", "page", "purify"},
	"store/kv/disk":                  {"durable", "store/kv", "store/kv/disk/runs"},
	"store/kv/kvtest":                {"store/kv"},
	"store/kv/mem":                   {"store/kv"},
	"store/suite":                    {".", "dedup", "fetch/robots", "frontier", "frontier/weburl", "page", "priority", "purify"},
	"testserver":                     {"testserver/corpus", "testserver/score", "testserver/skin"},
	"testserver/crossed":             {".", "configs", "crawl"},
	"testserver/demo":                {".", "frontier/weburl", "mirror", "page", "testserver", "testserver/score"},
	"testserver/dustsites":           {"splitmix", "testserver/corpus"},
	"testserver/farm":                {"testserver/corpus"},
	"testserver/moves":               {"testserver/corpus"},
	"testserver/skin":                {"testserver/corpus"},
	"testserver/theme":               {"testserver/corpus"},
	"testserver/topics":              {"testserver", "testserver/corpus"},
	"dedup/internal/indextest":       {"dedup/index", "splitmix"},
	"purify/css":                     {"purify/words"},
	"store/kv/disk/runs":             {"durable", "mmap"},
	"dedup/parts":                    {"dedup", "dedup/internal/hashset", "page", "purify", "scratch", "store/kv", "store/kv/row"},
	"dedup/group":                    {"dedup", "frontier/weburl", "page", "splitmix", "store/kv", "store/kv/row"},
	"frontier/queue":                 {"frontier", "frontier/queue/internal/recent", "frontier/queue/internal/turns", "frontier/seen", "frontier/weburl", "priority", "store/kv", "store/kv/row"},
	"warc/segment":                   {"durable", "warc"},
	"warc/wacz":                      {"scratch", "warc"},
	"purify/requisites":              {"purify/markup"},
	"store/revisit":                  {"dedup/group", "frontier/weburl", "page", "priority", "splitmix", "store/kv", "store/kv/row"},
	"testserver/corpus":              {"splitmix"},
	"testserver/browser":             {"testserver/slow"},

	"cluster":                   {".", "cluster/engine", "cluster/internal/rpc", "dedup", "dedup/group", "durable", "frontier", "frontier/weburl", "mirror", "mirror/dust", "mirror/linkrot", "page", "purify", "store", "store/archive", "store/folder", "store/job", "store/kv", "store/kv/disk", "store/kv/row", "store/letter", "store/mail", "store/query"},
	"store/letter":              {"dedup", "dedup/group", "frontier", "frontier/weburl", "page", "priority", "store/kv/row"},
	"store/mail":                {"store/kv"},
	"cluster/engine/enginetest": {"cluster/engine"},
	"cluster/engine/mem":        {"cluster/engine"},
	"cluster/internal/rpc":      {".", "cluster/engine", "store/kv/row"},
	"cluster/jetstream":         {"cluster/engine"},
	"cluster/owner":             {"cluster/engine"},
	"cluster/journal":           {"cluster/engine", "cluster/owner", "durable", "store/kv", "store/kv/disk", "store/kv/row"},
	"cluster/node":              {".", "cluster", "cluster/engine", "cluster/journal", "cluster/owner", "cluster/plan", "configs", "crawl", "frontier", "store", "store/folder", "store/kv/disk"},
}

// livesIn names the packages of ours that may use a module: one each, but for colly, which
// sends requests in fetch and is what programs hand in to the two others.
var livesIn = map[string][]string{
	"github.com/gocolly/colly":         {"fetch", "fetch/collygate", "crawl"},
	"github.com/temoto/robotstxt":      {"fetch/robots"},
	"github.com/chromedp":              {"fetch/render", "testserver/browser"},
	"github.com/PuerkitoBio/goquery":   {"purify/css", "purify/metadata"},
	"github.com/andybalholm/cascadia":  {"purify/css"},
	"github.com/bits-and-blooms/bloom": {"frontier/seen"},
	"go.etcd.io/bbolt":                 {"store/kv/disk"},
	"github.com/spf13":                 {"cmd/crawl", "cmd/crawl/internal/cli", "cmd/crawl/internal/duplicates", "cmd/crawl/internal/inspect", "cmd/crawl/internal/topics", "cmd/crawl/internal/urls", "cmd/crawl/internal/view"},
	"github.com/goccy/go-yaml":         {"configs"},
	"github.com/prometheus":            {"control/metrics"},
	"github.com/parquet-go":            {"export"},
	"github.com/ledongthuc/pdf":        {"purify/document"},
	"github.com/pdfcpu/pdfcpu":         {"purify/document"},
	"github.com/richardlehane/mscfb":   {"purify/document"},
	"github.com/nats-io":               {"cluster/jetstream"},
}

func TestPackagesImportOnlyWhatTheTableAllows(t *testing.T) {
	module := modulePath(t)
	seen := make(map[string]bool)
	used := make(map[[2]string]bool)
	eachFile(t, func(file, pkg string, imports []string) {
		seen[pkg] = true
		for _, imp := range imports {
			if inside, ok := strings.CutPrefix(imp+"/", module+"/"); ok {
				ours := path.Clean("./" + inside)
				if !slices.Contains(mayImport[pkg], ours) {
					t.Errorf("%s imports %s; the table does not allow it", file, imp)
				}
				used[[2]string{pkg, ours}] = true
			}
			for theirs, homes := range livesIn {
				if strings.HasPrefix(imp, theirs) && !slices.Contains(homes, pkg) {
					t.Errorf("%s imports %s, which belongs to %s", file, imp, strings.Join(homes, ", "))
				}
			}
			if file == "crawler.go" && (imp == "os" || imp == "flag") {
				t.Errorf("crawler.go imports %s", imp)
			}
		}
	})
	for pkg, allowed := range mayImport {
		if !seen[pkg] {
			t.Errorf("the table names %s, which has no file", pkg)
		}
		for _, ours := range allowed {
			if !used[[2]string{pkg, ours}] {
				t.Errorf("the table allows %s to import %s, which it does not", pkg, ours)
			}
		}
	}
}

// light are the packages that programs import for the gate, for purify and for what these
// stand on, without a crawl: neither colly nor a browser comes with them, nor a database.
var light = []string{
	"dedup", "dedup/index", "dedup/methods", "purify", "purify/charset",
	"frontier/weburl", "page", "priority", "warc", "mirror", "mirror/dust",
}

func TestTheGateAndPurifyPullInNeitherCollyNorABrowser(t *testing.T) {
	pullsIn(t, light, "github.com/gocolly/", "github.com/chromedp/", "go.etcd.io/bbolt")
}

// A crawl on one machine has no engine in it, and nothing of the processes that share a job.
// A job in partitions is one process too: its package cluster knows of engines what
// cluster/engine says of them, which imports nothing.
func TestACrawlOnOneMachinePullsInNoCluster(t *testing.T) {
	ours := modulePath(t) + "/cluster/"
	pullsIn(t, []string{".", "store"}, ours, "github.com/nats-io/")
	pullsIn(t, []string{"crawl"}, ours+"node", ours+"jetstream", ours+"owner", ours+"plan", "github.com/nats-io/")
	pullsIn(t, []string{"cluster/engine"}, modulePath(t), "github.com/")
}

// The command is one program, with the engine's server in it for crawl node: the files of the
// commands that take --cluster import it, and no others.
func TestOnlyTheCommandsOfAClusterImportIt(t *testing.T) {
	may := map[string]bool{"cmd/crawl/cluster.go": true, "cmd/crawl/clustertop.go": true, "cmd/crawl/drain.go": true, "cmd/crawl/steer.go": true, "cmd/crawl/internal/cli/cluster.go": true}
	ours := modulePath(t) + "/cluster/"
	eachFile(t, func(file, _ string, imports []string) {
		for _, imp := range imports {
			if strings.HasPrefix(file, "cmd/") && !may[file] && (strings.HasPrefix(imp, ours) || strings.HasPrefix(imp, "github.com/nats-io/")) {
				t.Errorf("%s imports %s", file, imp)
			}
		}
	})
}

// eachFile hands each of our files of Go to fn, but for tests, with its package's folder and what
// it imports.
func eachFile(t *testing.T, fn func(file, pkg string, imports []string)) {
	t.Helper()
	err := filepath.WalkDir(".", func(file string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && file != "." && (strings.HasPrefix(d.Name(), ".") || d.Name() == "testdata") {
			return fs.SkipDir
		}
		if !strings.HasSuffix(file, ".go") || strings.HasSuffix(file, "_test.go") {
			return nil
		}
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		imports := make([]string, len(f.Imports))
		for i, spec := range f.Imports {
			imports[i] = strings.Trim(spec.Path.Value, `"`)
		}
		file = filepath.ToSlash(file)
		fn(file, path.Dir(file), imports)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// pullsIn reports packages that import one of others, by themselves or by what they import.
func pullsIn(t *testing.T, packages []string, others ...string) {
	t.Helper()
	module := modulePath(t)
	imports := make(map[string][]string) // by package
	eachFile(t, func(_, pkg string, of []string) { imports[pkg] = append(imports[pkg], of...) })
	var pulls func(pkg, way string, seen map[string]bool)
	pulls = func(pkg, way string, seen map[string]bool) {
		if seen[pkg] {
			return
		}
		seen[pkg] = true
		for _, imp := range imports[pkg] {
			for _, other := range others {
				if strings.HasPrefix(imp, other) {
					t.Errorf("%s imports %s", way, imp)
				}
			}
			if inside, ok := strings.CutPrefix(imp+"/", module+"/"); ok {
				inside = path.Clean("./" + inside)
				pulls(inside, way+" imports "+inside, seen)
			}
		}
	}
	for _, pkg := range packages {
		if len(imports[pkg]) == 0 {
			t.Errorf("there is no package %s", pkg)
		}
		pulls(pkg, pkg, make(map[string]bool))
	}
}

func TestTheDesignNamesEveryPackage(t *testing.T) {
	design, err := os.ReadFile(filepath.Join("docs", "design.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(design), "## The packages")
	table, _, _ = strings.Cut(table, "\n## ")
	for _, pkg := range packages(t) {
		if pkg != "." && !strings.Contains(table, "`"+pkg+"`") {
			t.Errorf("the table of packages in docs/design.md lacks %s", pkg)
		}
	}
}

// packages returns the folders that have Go files other than tests.
func packages(t *testing.T) []string {
	t.Helper()
	var all []string
	err := filepath.WalkDir(".", func(file string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && file != "." && (strings.HasPrefix(d.Name(), ".") || d.Name() == "testdata"):
			return fs.SkipDir
		case strings.HasSuffix(file, ".go") && !strings.HasSuffix(file, "_test.go"):
			if pkg := path.Dir(filepath.ToSlash(file)); !slices.Contains(all, pkg) {
				all = append(all, pkg)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// modulePath returns what go.mod says.
func modulePath(t *testing.T) string {
	t.Helper()
	b, err := os.ReadFile("go.mod")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, ok := strings.Cut(string(b), "module ")
	name, _, _ := strings.Cut(rest, "\n")
	if !ok || !strings.Contains(name, ".") {
		t.Fatalf("go.mod's module is %q, want a path with a dot", name)
	}
	return strings.TrimSpace(name)
}

// TestTheModuleCanBeRenamed renames a copy of the module, and asks the go command
// whether every import is found.
func TestTheModuleCanBeRenamed(t *testing.T) {
	slow.Test(t, "compiles the module anew")
	t.Parallel()
	if _, err := exec.LookPath("bash"); err != nil {
		t.Skip("there is no bash here")
	}
	dir, old := t.TempDir(), modulePath(t)
	err := filepath.WalkDir(".", func(file string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (file == ".git" || d.Name() == "testdata"):
			return fs.SkipDir
		case d.IsDir():
			return os.MkdirAll(filepath.Join(dir, file), 0o755)
		case !d.Type().IsRegular():
			return nil
		}
		b, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(dir, file), b, 0o644)
	})
	if err != nil {
		t.Fatal(err)
	}
	const name = "code.example.org/some.body/crawl-2"
	rename := exec.Command("bash", filepath.Join(".ci", "rename-module"), name)
	rename.Env = append(os.Environ(), "ROOT="+dir)
	if out, err := rename.CombinedOutput(); err != nil {
		t.Fatalf("rename-module: %v\n%s", err, out)
	}
	list := exec.Command("go", "list", "-deps", "-test", "-f", "{{.ImportPath}}", "./...")
	list.Dir = dir
	out, err := list.CombinedOutput()
	if err != nil {
		t.Fatalf("go list: %v\n%s", err, out)
	}
	if s := string(out); strings.Contains(s, old) || !strings.Contains(s, name+"/frontier") {
		t.Errorf("the renamed module imports\n%s", s)
	}
}
