package gatecrawl_test

import (
	"fmt"
	"log/slog"
	"math"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"gatecrawl.example/gatecrawl"
	"gatecrawl.example/gatecrawl/fetch"
	"gatecrawl.example/gatecrawl/frontier"
	"gatecrawl.example/gatecrawl/frontier/seeds"
	"gatecrawl.example/gatecrawl/mirror"
	"gatecrawl.example/gatecrawl/page"
	"gatecrawl.example/gatecrawl/priority/focus"
	"gatecrawl.example/gatecrawl/store"
	"gatecrawl.example/gatecrawl/testserver/slow"
)

// manualTopics are parts of the manuals, and the words that a person would give for them. They
// were written down before any run; of release notes it turned out that each manual has some.
var manualTopics = []struct {
	words string
	on    func(manual, path string) bool
}{
	{"virtual table extension", under("sqlite3-doc", `fts3.html fts5.html rtree.html vtab.html vtablist.html carray.html dbpage.html dbstat.html series.html geopoly.html csv.html completion.html swarmvtab.html unionvtab.html spellfix1.html bytecodevtab.html stmt.html json1.html json_each.html c3ref/create_module.html c3ref/declare_vtab.html c3ref/module.html c3ref/vtab.html c3ref/vtab_cursor.html c3ref/vtab_config.html c3ref/vtab_collation.html c3ref/vtab_distinct.html c3ref/vtab_in.html c3ref/vtab_nochange.html c3ref/vtab_on_conflict.html c3ref/vtab_rhs_value.html c3ref/index_info.html c3ref/overload_function.html c3ref/drop_modules.html`)},
	{"release notes changes", func(m, p string) bool {
		return under("sqlite3-doc", "releaselog/")(m, p) || under("python-django-doc", "releases/")(m, p) ||
			under("python-sqlalchemy-doc", "changelog/")(m, p) || under("python3.11-doc", "whatsnew/")(m, p)
	}},
	{"C interface functions", under("sqlite3-doc", "c3ref/")},
	{"sql language syntax", under("sqlite3-doc", "lang lang_")},
	{"sessions changesets", under("sqlite3-doc", "session/ session")},
	{"database dialects", under("python-sqlalchemy-doc", "dialects/")},
	{"connection engine pooling", under("python-sqlalchemy-doc", "core/")},
	{"object relational mapping", under("python-sqlalchemy-doc", "orm/")},
	{"web framework models forms", under("python-django-doc", "topics/ ref/models ref/forms")},
	{"geographic gis", under("python-django-doc", "ref/contrib/gis")},
	{"c api extension objects", under("python3.11-doc", "c-api/ extending/")},
	{"tutorial how to", under("python3.11-doc", "howto/ tutorial/")},
	{"installing distributing packages", under("python3.11-doc", "distutils/ install distributing installing")},
	{"asynchronous io event loop", under("python3.11-doc", "library/asyncio")},
	{"email messages", under("python3.11-doc", "library/email")},
	{"xml parsing", under("python3.11-doc", "library/xml library/pyexpat")},
	{"forms and widgets", under("python-django-doc", "ref/forms topics/forms")},
	{"database models and queries", under("python-django-doc", "ref/models topics/db")},
	{"plpgsql stored procedures", under("postgresql-doc-15", "plpgsql")},
	{"full text search", under("postgresql-doc-15", "textsearch")},
	{"replication and standby servers", under("postgresql-doc-15", "logical-replication logicaldecoding warm-standby high-availability hot-standby different-replication runtime-config-replication protocol-replication")},
	{"embedded sql in c", under("postgresql-doc-15", "ecpg")},
	{"libpq client library", under("postgresql-doc-15", "libpq")},
	{"index access methods", under("postgresql-doc-15", "gin gist spgist brin btree hash-index indexes index-")},
	{"system catalog tables", under("postgresql-doc-15", "catalog")},
	{"url rewriting", under("apache2-doc", "rewrite/ mod/mod_rewrite")},
	{"virtual hosts", under("apache2-doc", "vhosts/ mod/mod_vhost")},
	{"authentication authorization", under("apache2-doc", "mod/mod_auth howto/auth mod/mod_session")},
	{"proxy load balancing", under("apache2-doc", "mod/mod_proxy mod/mod_lbmethod howto/reverse_proxy")},
	{"policies", under("cmake-doc", "policy/")},
	{"environment variables", under("cmake-doc", "envvar/")},
	{"packaging generators cpack", under("cmake-doc", "cpack_gen/ module/CPack")},
	{"finding libraries packages", under("cmake-doc", "module/Find")},
	{"scripting commands", under("cmake-doc", "command/")},
	{"release notes", under("cmake-doc", "release/")},
	{"source file properties", under("cmake-doc", "prop_sf/")},
	{"remote repositories fetch push", under("git-doc", "git-fetch git-push git-remote git-clone git-pull git-ls-remote git-send-pack git-receive-pack git-upload git-http git-daemon")},
	{"protocol and pack format", under("git-doc", "technical/ gitformat gitprotocol")},
	{"hypervisor configuration", under("nova-doc", "admin/configuration/")},
	{"installing compute service", under("nova-doc", "install/")},
	{"contributing code reviews testing", under("nova-doc", "contributor/")},
	{"command line", under("nova-doc", "cli/")},
	{"storage drivers", under("cinder-doc", "configuration/block-storage/drivers/")},
	{"volume backup migration administration", under("cinder-doc", "admin/")},
	{"installing block storage", under("cinder-doc", "install/")},
	{"message broker result backends", under("python-celery-doc", "getting-started/backends-and-brokers getting-started/brokers userguide/configuration reference/celery.backends internals/reference/celery.backends _modules/celery/backends")},
	{"worker process pool concurrency", under("python-celery-doc", "internals/reference/celery.concurrency userguide/concurrency userguide/workers reference/celery.worker internals/reference/celery.worker _modules/celery/worker _modules/celery/concurrency")},
	{"change history", under("python-celery-doc", "history/ changelog")},
	{"access policies roles", under("keystone-doc", "_modules/keystone/common/policies api/keystone.common.policies")},
	{"configuration options", under("keystone-doc", "_modules/keystone/conf api/keystone.conf configuration/")},
	{"federation identity provider", under("keystone-doc", "admin/federation api/keystone.federation _modules/keystone/federation api/keystone.api.os_federation contributor/federa user/federa")},
	{"bare metal hardware drivers", under("ironic-doc", "admin/drivers _modules/ironic/drivers contributor/api/ironic.drivers")},
	{"installing bare metal service", under("ironic-doc", "install/")},
	{"music tagging plugins", under("beets-doc", "plugins/")},
	{"drawing entities", under("python-ezdxf-doc", "dxfentities/")},
	{"cad drawing tutorials", under("python-ezdxf-doc", "tutorials/")},
	{"layers styles tables", under("python-ezdxf-doc", "tables/ dxfinternals/tables/")},
	{"rendering add-ons", under("python-ezdxf-doc", "addons/ render/")},
	{"spiking neuron examples", under("python-brian-doc", "examples/")},
	{"changes since brian 1", under("python-brian-doc", "introduction/brian1_to_2/")},
	{"source code of modules", under("python-brian-doc", "_modules/brian2/")},
	{"developer guidelines", under("python-brian-doc", "developer/")},
	{"dns backend drivers", under("designate-doc", "admin/backends/ _modules/designate/backend contributor/sourcedoc/backend")},
	{"installing dns service", under("designate-doc", "install/")},
	{"installing telemetry service", under("ceilometer-doc", "install/")},
	{"derivative distributions based on debian", under("debian-handbook", "sect.aptosid sect.devuan sect.doudoulinux sect.grml sect.kali sect.knoppix sect.linux-mint sect.other-derivatives sect.pureos sect.raspbian sect.steamos sect.tails sect.ubuntu derivative-distributions")},
	{"package management apt dpkg", under("debian-handbook", "apt.html sect.apt- packaging-system sect.package- sect.manipulating sect.searching sect.regular-upgrades sect.dist-upgrade sect.automatic-upgrades sect.setup-apt sect.source-package sect.coexistence")},
	{"hypervisor drivers", under("libvirt-doc", "drv")},
	{"xml format", under("libvirt-doc", "format")},
	{"manual pages of daemons and tools", under("libvirt-doc", "manpages/")},
	{"knowledge base", under("libvirt-doc", "kbase/")},
	{"d-bus messages and objects", under("libglib2.0-doc", "GDBus gdbus gio-D-Bus")},
	{"input and output streams", has("libglib2.0-doc", "Stream.html")},
	{"clustering session replication", under("tomcat10-docs", "config/cluster tribes/ cluster-howto")},
	{"configuration reference", under("tomcat10-docs", "config/")},
	{"constraint logic programming", under("swi-prolog-doc", "chr clp simplex")},
	{"multithreading threads", under("swi-prolog-doc", "thread thutil mt-xpce engine")},
	{"modules import export", both(has("swi-prolog-doc", "module"), under("swi-prolog-doc", "import reexport"))},
	{"tabled execution", under("swi-prolog-doc", "tabling tnotpure WFS")},
	{"foreign language interface", under("swi-prolog-doc", "foreign plld")},
	{"ticket actions", under("rt4-doc-html", "RT/Action")},
	{"scrip conditions", under("rt4-doc-html", "RT/Condition")},
	{"customizing request tracker", under("rt4-doc-html", "customizing/ extending/")},
	{"orchestration template guide", under("heat-doc", "template_guide/")},
	{"installing networking service", under("neutron-doc", "install/")},
	{"open virtual network ovn", has("neutron-doc", "ovn")},
	{"image cache and import tasks", both(under("glance-doc", "_modules/glance/async_ _modules/glance/image_cache"), has("glance-doc", "cache image-import interoperable"))},
	{"access policy rules", both(under("heat-doc", "_modules/heat/policies"), both(under("glance-doc", "_modules/glance/policies"), under("neutron-doc", "contributor/policies")))},
	{"command line tools", both(under("heat-doc", "man/"), both(under("glance-doc", "cli/"), under("neutron-doc", "cli/")))},
	{"message transports", has("python-kombu-doc", "transport")},
	{"writing tests", under("neutron-doc", "contributor/testing")},
	{"contributing to lilypond", under("lilypond-doc-html", "Documentation/contributor/")},
	{"programming in scheme", under("lilypond-doc-html", "Documentation/extending/")},
	{"running lilypond command line", under("lilypond-doc-html", "Documentation/usage/")},
	{"encoding video with mencoder", under("mplayer-doc", "menc encoding mencoder")},
	{"what's new in releases", under("python-h5py-doc", "whatsnew/")},
	{"booting the installer", under("installation-guide-amd64", "ch05 ch04 ch03s06")},
	{"deploying to production servers", both(under("python-flask-doc", "deploying/"), under("python-flask-doc", "tutorial/deploy"))},
	{"patterns and recipes", under("python-flask-doc", "patterns/")},
	{"tutorial blog application", under("python-flask-doc", "tutorial/")},
	{"tornado releases", under("python-tornado-doc", "releases")},
	{"lua scripting", under("wireshark-doc", "lua_ wslua")},
	{"build tools and libraries", under("wireshark-doc", "ChTools ChLibs ChapterTools ChapterLibraries")},
	{"kerberos administration kdc", under("krb5-doc", "admin/")},
	{"plugin interfaces", under("krb5-doc", "plugindev/")},
	{"api data types", under("krb5-doc", "appdev/refs/types/")},
	{"user commands kinit", under("krb5-doc", "user/")},
	{"backup command usage", under("borgbackup-doc", "usage/")},
	{"load balancer provider drivers", under("octavia-doc", "_modules/octavia/api/drivers admin/providers contributor/devref/provider")},
	{"design specifications", under("octavia-doc", "contributor/specs/")},
	{"worker controller tasks and flows", both(under("octavia-doc", "_modules/octavia/controller/worker"), has("octavia-doc", "contributor/modules/octavia.controller.worker"))},
	{"satellite imagery processing", under("grass-doc", "i.")},
	{"vector data tools", under("grass-doc", "v.")},
	{"three dimensional raster volumes", under("grass-doc", "r3.")},
	{"space time datasets", under("grass-doc", "t.")},
	{"display maps on monitor", under("grass-doc", "d.")},
	{"spiders selectors and items", under("python-scrapy-doc", "topics/")},
	{"source code of scraping modules", under("python-scrapy-doc", "_modules/")},
	{"serializers views permissions api guide", under("python-djangorestframework-doc", "api-guide/")},
	{"framework release announcements", under("python-djangorestframework-doc", "community/")},
	{"share storage driver configuration", under("manila-doc", "configuration/")},
	{"administrating shares", under("manila-doc", "admin/")},
	{"installing shared file systems service", under("manila-doc", "install/")},
	{"wrapping c libraries tutorial", under("cython-doc", "src/tutorial/")},
	{"language users guide", under("cython-doc", "src/userguide/")},
	{"file selectors", under("ant-doc", "org/apache/tools/ant/types/selectors org/apache/tools/ant/types/resources/selectors")},
	{"compiler adapters", under("ant-doc", "org/apache/tools/ant/taskdefs/compilers org/apache/tools/ant/taskdefs/rmic org/apache/tools/ant/taskdefs/optional/javah org/apache/tools/ant/taskdefs/optional/native2ascii")},
	{"version control tasks", under("ant-doc", "org/apache/tools/ant/taskdefs/cvslib org/apache/tools/ant/taskdefs/optional/clearcase org/apache/tools/ant/taskdefs/optional/vss org/apache/tools/ant/taskdefs/optional/ccm org/apache/tools/ant/taskdefs/optional/sos org/apache/tools/ant/taskdefs/optional/pvcs")},
	{"zip and tar archives", under("ant-doc", "org/apache/tools/zip org/apache/tools/tar org/apache/tools/bzip2")},
	{"filter readers", under("ant-doc", "org/apache/tools/ant/filters")},
	{"ssh and ftp tasks", under("ant-doc", "org/apache/tools/ant/taskdefs/optional/ssh org/apache/tools/ant/taskdefs/optional/net")},
	{"input and output modules of the log daemon", under("rsyslog-doc", "configuration/modules/")},
	{"legacy directives", has("rsyslog-doc", "_directives/ configuration/action/rsconf1_ configuration/global/")},
	{"script functions", under("rsyslog-doc", "rainerscript/functions/")},
	{"tutorials on log servers", under("rsyslog-doc", "tutorials/")},
	{"search engine classes", under("xapian-doc", "apidoc/html/class")},
	{"firewall manual pages", under("shorewall-doc", "manpages/")},
	{"rest api of lists and members", under("mailman3-doc", "src/mailman/rest/")},
	{"message handlers pipeline", under("mailman3-doc", "src/mailman/handlers/")},
	{"moderation rules and chains", under("mailman3-doc", "src/mailman/rules/ src/mailman/chains/")},
	{"command line of mailing lists", under("mailman3-doc", "src/mailman/commands/")},
	{"data model of users and addresses", under("mailman3-doc", "src/mailman/model/")},
	{"runners queues bounces", under("mailman3-doc", "src/mailman/runners/")},
	{"greenlet event loop api", under("python-gevent-doc", "api/")},
	{"coroutine examples", under("python-gevent-doc", "examples/")},
	{"plot widgets", under("python-pyqtgraph-doc", "widgets/")},
	{"three dimensional graphics opengl", under("python-pyqtgraph-doc", "3dgraphics/")},
	{"graphics items", under("python-pyqtgraph-doc", "graphicsItems/")},
	{"cryptographic primitives ciphers", under("python-cryptography-doc", "hazmat/primitives/")},
}

// has tells paths of a manual that have one of the words.
func has(name, words string) func(string, string) bool {
	return func(m, p string) bool {
		return m == name && slices.ContainsFunc(strings.Fields(words), func(w string) bool { return strings.Contains(p, w) })
	}
}

// both tells paths that either of two functions tells.
func both(a, b func(string, string) bool) func(string, string) bool {
	return func(m, p string) bool { return a(m, p) || b(m, p) }
}

// under tells paths of a manual that start with one of the prefixes.
func under(name, prefixes string) func(string, string) bool {
	return func(m, p string) bool {
		p = strings.TrimPrefix(p, "/")
		return m == name && slices.ContainsFunc(strings.Fields(prefixes), func(pre string) bool { return strings.HasPrefix(p, pre) })
	}
}

// TestTopicsOfManuals crawls several manuals from a portal that names their front pages, for one
// topic after the other, and says how much of a topic the first tenth of the pages has: as the
// crawler chooses between hosts, and with equal shares.
//
//	bench/debiandocs.sh ../debiandocs python3-doc python-django-doc sqlite3-doc python-sqlalchemy-doc
//	GATECRAWL_DEBIANDOCS=../debiandocs go test -run TestTopicsOfManuals -v .
func TestTopicsOfManuals(t *testing.T) {
	ms := manualsIn(t)
	pages := linkedPages(t, ms)
	all := len(pages)
	type mean struct{ r5, r10, h100, h200 float64 }
	var sums [3]mean
	rows, differences := 0, []float64(nil)
	for _, topic := range manualTopics {
		if s := os.Getenv("GATECRAWL_TOPIC"); s != "" && s != topic.words {
			continue
		}
		total := 0
		for p := range pages {
			if topic.on(p.site, p.path) {
				total++
			}
		}
		if total < 10 {
			t.Logf("%-32s %d pages here: too few", topic.words, total)
			continue
		}
		var got [3]mean
		for i, how := range []string{"chosen", "equal shares", "without a topic"} {
			order := crawlPortal(t, ms, topic.words, how)
			found := func(n int) (k float64) {
				for _, p := range order[:min(n, len(order))] {
					if topic.on(p.site, p.path) {
						k++
					}
				}
				return k
			}
			got[i] = mean{found(all/20) / float64(total), found(all/10) / float64(total), found(100) / 100, found(200) / 200}
			sums[i].r5 += got[i].r5
			sums[i].r10 += got[i].r10
			sums[i].h100 += got[i].h100
			sums[i].h200 += got[i].h200
		}
		rows++
		differences = append(differences, got[0].r10-got[1].r10)
		t.Logf("%-32s %3d pages of %d: r5 %.2f r10 %.2f h100 %.2f h200 %.2f · equal shares %.2f %.2f %.2f %.2f · no topic %.2f %.2f %.2f %.2f", topic.words, total, all,
			got[0].r5, got[0].r10, got[0].h100, got[0].h200, got[1].r5, got[1].r10, got[1].h100, got[1].h200, got[2].r5, got[2].r10, got[2].h100, got[2].h200)
	}
	for i, how := range []string{"chosen between hosts", "equal shares", "without a topic"} {
		n := float64(rows)
		t.Logf("mean of %d topics, %-22s r5 %.3f r10 %.3f h100 %.3f h200 %.3f", rows, how, sums[i].r5/n, sums[i].r10/n, sums[i].h100/n, sums[i].h200/n)
	}
	low, high := bootstrap(differences)
	t.Logf("r10 against equal shares: %+.3f [%+.3f, %+.3f]", (sums[0].r10-sums[1].r10)/float64(rows), low, high)
}

// TestTailsOfTopicsOfManuals crawls several manuals from a portal for one topic after the other until stop-tail .2 ends the
// crawl, or two fifths of the pages are fetched, and says how much of the topic that brings.
//
//	GATECRAWL_DEBIANDOCS=../others go test -timeout 60m -run TestTailsOfTopicsOfManuals -v .
func TestTailsOfTopicsOfManuals(t *testing.T) {
	ms := manualsIn(t)
	pages := linkedPages(t, ms)
	rows, ended, had, fetched := 0., 0, 0., 0.
	for _, topic := range manualTopics {
		total := 0
		for p := range pages {
			if topic.on(p.site, p.path) {
				total++
			}
		}
		if s := os.Getenv("GATECRAWL_TOPIC"); total < 10 || s != "" && s != topic.words {
			continue
		}
		order, on := crawlPortal(t, ms, topic.words, "until the tail"), 0
		for _, p := range order {
			if topic.on(p.site, p.path) {
				on++
			}
		}
		share := float64(len(order)) / float64(len(pages))
		if share < .37 { // some of two fifths were no pages of the manuals
			ended++
		}
		rows, had, fetched = rows+1, had+float64(on)/float64(total), fetched+share
		t.Logf("%-32s %3d of %d pages in %.3f of %d", topic.words, on, total, share, len(pages))
	}
	t.Logf("%.0f topics, %d ended by the tail: in the mean %.3f of the topic is had, with %.3f of the pages", rows, ended, had/rows, fetched/rows)
}

// linkedPages returns the pages that links lead to from the portal. A manual may have pages that no link leads to, which
// no order finds, such as three of Python's on distutils.
func linkedPages(t *testing.T, ms []manual) map[fetchedPage]bool {
	t.Helper()
	linked, left := make(map[fetchedPage]bool), make(map[string]int)
	for _, p := range crawlPortal(t, ms, "", "everything") {
		linked[p] = true
	}
	for _, m := range ms {
		for _, p := range m.pages(t) {
			if !linked[fetchedPage{m.name, p}] {
				left[m.name]++
			}
		}
	}
	t.Logf("links lead to %d pages, and not to so many others: %v", len(linked), left)
	return linked
}

// pages lists the paths of a manual's pages.
func (m manual) pages(t *testing.T) (ps []string) {
	t.Helper()
	root := m.root()
	defer root.Close()
	for _, name := range htmlIn(t, root.FS()) {
		ps = append(ps, "/"+name)
	}
	return ps
}

// A fetchedPage is a page in the order of a crawl.
type fetchedPage struct{ site, path string }

// crawlPortal crawls manuals from a portal for a topic with one worker, until a tenth of their
// pages, and 200 at least, are fetched; "everything" has no limit.
func crawlPortal(t *testing.T, ms []manual, topic, how string) (order []fetchedPage) {
	t.Helper()
	names := make(map[string]string)     // of manuals, by host
	listed := make(map[fetchedPage]bool) // what a topic's pages are counted among
	serve := func(i int, h http.Handler) string {
		l, err := net.Listen("tcp", fmt.Sprintf("127.62.%d.1:0", i))
		if err != nil {
			t.Fatal(err)
		}
		srv := httptest.NewUnstartedServer(h)
		_ = srv.Listener.Close()
		srv.Listener = l
		srv.Start()
		t.Cleanup(srv.Close)
		return srv.URL
	}
	portal := "<html><title>Manuals</title><body><h1>Manuals</h1><ul>"
	for i, m := range ms {
		root := m.root()
		t.Cleanup(func() { root.Close() })
		url := serve(i+1, fileServer(root))
		names[strings.TrimPrefix(url, "http://")] = m.name
		portal += fmt.Sprintf(`<li><a href="%s/">%s</a></li>`, url, m.name)
		for _, p := range m.pages(t) {
			listed[fetchedPage{m.name, p}] = true
		}
	}
	portal += "</ul></body></html>"
	start := serve(0, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/" {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprint(w, portal)
	}))

	most := max(len(listed)/10, 200) + 60
	switch how {
	case "until the tail":
		most = 2 * len(listed) / 5
	case "everything":
		most = 0
	}
	for _, p := range crawlTopic(t, start+"/", topic, how, most) {
		host, rest, _ := strings.Cut(strings.TrimPrefix(p.URL, "http://"), "/")
		if name := names[host]; name != "" && p.Document() && p.Type == "text/html" {
			if rest == "" || strings.HasSuffix(rest, "/") {
				rest = path.Join(rest, "index.html")
			}
			if f := (fetchedPage{name, "/" + rest}); listed[f] {
				order = append(order, f)
				delete(listed, f) // of a page with two URLs the first counts
			}
		}
	}
	return order
}

// crawlTopic crawls from a portal for a topic with one worker, and returns what it fetched in that
// order; 0 pages: all. How is one of the ways of choosing between hosts that TestTopicsOfManuals compares, or "until the tail"
// of the topic; without a topic "breadth first" or "without votes".
func crawlTopic(t *testing.T, start, topic, how string, pages int) []page.Record {
	t.Helper()
	return crawlTopicBy(t, fetch.Options{AllowLoopback: true}, start, topic, how, pages)
}

// crawlTopicInMemory is crawlTopic on sites in memory and on the clock of testing/synctest, where
// a host's delay takes no time, and passes no sooner than a busy machine has done the pages of
// the others.
func crawlTopicInMemory(t *testing.T, web http.Handler, start, topic, how string, pages int) (order []page.Record) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		order = crawlTopicBy(t, fetch.Options{AllowLoopback: true, Dial: serveInMemory(t, web)}, start, topic, how, pages)
	})
	return order
}

// crawlTopicBy is crawlTopic with a way to reach the sites.
func crawlTopicBy(t *testing.T, fo fetch.Options, start, topic, how string, pages int) (order []page.Record) {
	t.Helper()
	var judge *focus.Judge
	if topic != "" && how != "without a topic" {
		var err error
		if judge, err = focus.New(topic, nil, nil); err != nil {
			t.Fatal(err)
		}
	}
	return crawlOnTopic(t, slow.TempDir(t), judge, fo, start, topic, how, pages)
}

// crawlOnTopic starts the job in a folder, or goes on with it, until it has so many pages, and returns all of them. A nil
// judge has no topic.
func crawlOnTopic(t *testing.T, dir string, judge *focus.Judge, fo fetch.Options, start, topic, how string, pages int) (order []page.Record) {
	t.Helper()
	so := store.DefaultOptions()
	so.Delay, so.Mirrors, so.Rules.Learn = 0, mirror.ModeOff, "off"
	so.Priority.Focused = judge != nil
	switch how {
	case "breadth first":
		so.Priority.Cash = 0
	case "without votes":
		so.Priority.Mirror = 0
	}
	if so.Explore, so.Patience = .2, time.Second; topic == "" || how == "without a topic" {
		so.Explore, so.Patience = 0, 0
	} else if how == "equal shares" {
		// Hosts that rest longer than a page of each of the others takes have their turn one after the other. With 50 ms
		// they did not on a busy machine, and the best had more than its share.
		so.Explore, so.Patience, so.Delay = 0, 0, 200*time.Millisecond
	}
	st, err := store.Open(dir, so)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := st.Close(); err != nil {
			t.Error(err)
		}
	}()
	f, err := fetch.New(fo)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	scopeOptions := frontier.DefaultScopeOptions()
	scopeOptions.Mode = frontier.ScopeAny
	scope, err := frontier.NewScope(scopeOptions)
	if err != nil {
		t.Fatal(err)
	}
	o := gatecrawl.DefaultOptions()
	o.Workers, o.Spare, o.Soft404, o.ObeyMeta, o.LoopbackOnly, o.DelayFactor = 1, 0, false, false, true, 0
	o.MaxPages = int64(pages)
	if how == "until the tail" {
		o.StopTail = .2
	}
	c, err := gatecrawl.New(o, st, f, scope, judge, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Seed(t.Context(), seeds.Read(strings.NewReader(start), "seeds"), func(err error) { t.Error(err) }); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	err = st.Pages(t.Context(), 1, func(p page.Record) error {
		order = append(order, p)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return order
}

// bootstrap returns the 95% interval of a mean.
func bootstrap(xs []float64) (low, high float64) {
	if len(xs) == 0 {
		return math.NaN(), math.NaN()
	}
	rng := rand.New(rand.NewPCG(1, 1))
	means := make([]float64, 2000)
	for i := range means {
		for range xs {
			means[i] += xs[rng.IntN(len(xs))] / float64(len(xs))
		}
	}
	slices.Sort(means)
	return means[50], means[1950]
}
