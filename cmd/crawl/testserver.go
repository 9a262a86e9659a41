package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"gatecrawl.example/gatecrawl/cmd/crawl/internal/cli"
	"gatecrawl.example/gatecrawl/testserver"
	"gatecrawl.example/gatecrawl/testserver/topics"
)

func newTestserver() *cobra.Command {
	o := testserver.Demo()
	var folders []string
	var truth string
	var asJSON, ofTopics bool
	cmd := &cobra.Command{
		Use:   "testserver",
		Short: "Serve a web with known copies, mirrors, traps and faults on loopback",
		Long: `testserver serves a web of its own on loopback addresses until Ctrl-C, and
prints the URLs to start a crawl from. The same --seed gives the same pages.

A folder of real pages is a site too: --folder DIR, or --folder DIR:OPTIONS with
any of these options, separated by commas:
  plain           as it is (default)
  layout          the main content of each page in another template
  layout=N        the same, in the template N; folders of one N share it
  name=NAME       the site's name
  prefix=/PATH/   served under a path
  subtree=SUB     only this folder in it
  share=0.5       only this share of its pages
The same DIR given twice is a mirror: whole, or partial with prefix, subtree or
share. With --folder and without --hosts no generated site is served.

With --topics it serves another web, for focused crawls: a portal, blogs, manuals and an
encyclopaedia in English and Chinese, whose pages are about known subjects. It prints the
portal's URL; --truth DIR writes a file of URLs for each subject, as crawl focus eval reads
them, named by what to look for.`,
		Example: "  crawl testserver --port 8080 --truth truth.json\n" +
			"  crawl testserver --folder manual --folder manual:layout,share=0.5\n" +
			"  crawl testserver --topics --truth subjects",
		Args: cobra.NoArgs,
	}
	fs := cmd.Flags()
	fs.Uint64Var(&o.Seed, "seed", o.Seed, "decides every byte of the generated pages; any `N` will do")
	fs.IntVar(&o.Hosts, "hosts", o.Hosts, "serve `N` generated sites")
	fs.IntVar(&o.Pages, "pages", o.Pages, "about `N` pages a site")
	fs.IntVar(&o.PageBytes, "page-bytes", o.PageBytes, "about `N` bytes a page")
	fs.IntVar(&o.Port, "port", o.Port, "listen on port `N`; 0 takes a free one")
	fs.StringArrayVar(&folders, "folder", nil, "serve a folder, `DIR[:OPTIONS]`; may be given more than once")
	fs.BoolVar(&ofTopics, "topics", false, "serve a web of subjects, for focused crawls")
	fs.StringVar(&truth, "truth", "", "write the truth about the web to `FILE` as JSON; with --topics, a file for each subject to this folder")
	fs.BoolVar(&asJSON, "json", false, "print the sites as JSON, one object a line")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if ofTopics {
			for _, name := range []string{"hosts", "page-bytes", "folder", "json"} {
				if fs.Changed(name) {
					return cli.Usagef("--%s is not for --topics", name)
				}
			}
			of := topics.Defaults()
			of.Seed, of.Port = o.Seed, o.Port
			if fs.Changed("pages") {
				of.Pages = o.Pages
			}
			return serveTopics(cmd, of, truth)
		}
		if len(folders) > 0 && !fs.Changed("hosts") {
			o.Hosts = 0
		}
		if o.Hosts < 5 { // with fewer, a mirror would have more pages than exact copies are meant to
			o.Mirrors, o.Partial = 0, 0
		}
		web, err := newWeb(o, folders)
		if err != nil {
			return err
		}
		return serveWeb(cmd, web, func() error {
			if truth != "" {
				if err := writeTruth(truth, web); err != nil {
					return err
				}
			}
			return printWeb(cmd, web, asJSON)
		})
	}
	return cmd
}

// serveWeb serves a web until Ctrl-C. It calls tell when the web is ready.
func serveWeb(cmd *cobra.Command, web interface {
	Start(context.Context) error
	Close() error
}, tell func() error) error {
	ctx, stop := cli.UntilInterrupt(cmd.Context(), cmd.ErrOrStderr(), "", func() {})
	defer stop()
	if err := web.Start(ctx); err != nil {
		return err
	}
	defer web.Close()
	if err := tell(); err != nil {
		return err
	}
	<-ctx.Done()
	return nil
}

// serveTopics serves a web of subjects until Ctrl-C.
func serveTopics(cmd *cobra.Command, o topics.Options, truth string) error {
	web, err := topics.New(o)
	if err != nil {
		return cli.Usagef("%w", err)
	}
	return serveWeb(cmd, web, func() error {
		if truth != "" {
			if err := writeSubjects(truth, web); err != nil {
				return err
			}
		}
		_, err := fmt.Fprintln(cmd.OutOrStdout(), web.Portal())
		return err
	})
}

// writeSubjects writes the URLs of each subject to a file in a folder.
func writeSubjects(dir string, web *topics.Web) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	for _, s := range web.Subjects() {
		text := fmt.Sprintf("# --topic %q\n%s\n", s.Name, strings.Join(s.URLs, "\n"))
		if err := os.WriteFile(filepath.Join(dir, s.Slug+".txt"), []byte(text), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// newWeb plans the generated sites and the folders.
func newWeb(o testserver.Options, folders []string) (*testserver.Web, error) {
	web, err := testserver.New(o)
	if err != nil {
		return nil, cli.Usagef("%w", err)
	}
	taken := make(map[string]int)
	for _, text := range folders {
		f, err := parseFolder(text)
		if err != nil {
			return nil, cli.Usagef("--folder %s: %w", text, err)
		}
		if taken[f.Name]++; taken[f.Name] > 1 {
			f.Name += "-" + strconv.Itoa(taken[f.Name])
		}
		if err := web.AddFolder(f); err != nil {
			return nil, cli.Usagef("--folder %s: %w", text, err)
		}
	}
	return web, nil
}

// parseFolder reads DIR[:OPTIONS]. A colon in the name of an existing folder does not start
// options.
func parseFolder(text string) (testserver.Folder, error) {
	dir, options := text, ""
	if _, err := os.Stat(text); err != nil {
		if i := strings.LastIndexByte(text, ':'); i > 0 {
			dir, options = text[:i], text[i+1:]
		}
	}
	f := testserver.Folder{Dir: dir, Name: filepath.Base(dir)}
	if options == "" {
		return f, nil
	}
	for _, option := range strings.Split(options, ",") {
		name, value, _ := strings.Cut(option, "=")
		switch name {
		case "plain", "mirror":
			f.Form = testserver.FormPlain
		case "layout":
			f.Form = testserver.FormLayout
			if value == "" {
				break
			}
			n, err := strconv.Atoi(value)
			if err != nil || n < 1 {
				return f, fmt.Errorf("layout: %q is not a number from 1", value)
			}
			f.Layout = n
		case "name":
			f.Name = value
		case "prefix":
			f.Prefix = value
		case "subtree":
			f.Subtree = value
		case "share":
			share, err := strconv.ParseFloat(value, 64)
			if err != nil {
				return f, fmt.Errorf("share: %q is not a number from 0 to 1", value)
			}
			f.Share = share
		default:
			return f, fmt.Errorf("no such option: %q", option)
		}
	}
	return f, nil
}

func writeTruth(path string, web *testserver.Web) error {
	b, err := json.MarshalIndent(web.Truth(), "", " ")
	if err != nil {
		return err
	}
	return os.WriteFile(path, append(b, '\n'), 0o644)
}

func printWeb(cmd *cobra.Command, web *testserver.Web, asJSON bool) error {
	out := cmd.OutOrStdout()
	if asJSON {
		enc := json.NewEncoder(out)
		for _, s := range web.Sites() {
			if err := enc.Encode(s); err != nil {
				return err
			}
		}
		return nil
	}
	for _, u := range web.Seeds() {
		if _, err := fmt.Fprintln(out, u); err != nil {
			return err
		}
	}
	return nil
}
