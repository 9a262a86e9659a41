package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"mime"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"gatecrawl.example/gatecrawl/cmd/crawl/internal/version"
	"gatecrawl.example/gatecrawl/configs"
	"gatecrawl.example/gatecrawl/corpus/single"
	"gatecrawl.example/gatecrawl/fetch"
	"gatecrawl.example/gatecrawl/frontier/seeds"
	"gatecrawl.example/gatecrawl/frontier/weburl"
	"gatecrawl.example/gatecrawl/purify/document"
)

// NeedContact refuses a URL off loopback if no contact is given for webmasters.
func NeedContact(contact string, u weburl.URL) error {
	if contact != "" || u.Loopback() {
		return nil
	}
	return Usagef("%s is not on this machine: say with --contact where its owner can reach you, "+
		"for example --contact you@example.org; it goes into the User-Agent", u)
}

// URLsOf yields the URLs that were typed, and for - those on standard
// input.
func URLsOf(args []string, stdin io.Reader) iter.Seq2[weburl.URL, error] {
	return func(yield func(weburl.URL, error) bool) {
		for _, arg := range args {
			if arg != "-" {
				if !yield(seeds.Parse(arg)) {
					return
				}
				continue
			}
			for s, err := range seeds.Read(stdin, "standard input") {
				if !yield(s.URL, err) {
					return
				}
			}
		}
	}
}

// ReadSource reads a file or fetches a page.
func ReadSource(cmd *cobra.Command, arg, contact string) (*single.Page, error) {
	if strings.Contains(arg, "://") {
		u, err := weburl.Parse(arg)
		if err != nil {
			return nil, Usagef("%w", err)
		}
		if err := NeedContact(contact, u); err != nil {
			return nil, err
		}
		return fetchPage(cmd.Context(), u, contact)
	}
	if arg == "-" {
		return single.Read(cmd.InOrStdin(), "text/html")
	}
	f, err := os.Open(arg)
	if errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("no file %s; a URL starts with http:// or https://", arg)
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if about, err := f.Stat(); err == nil && about.IsDir() {
		return nil, fmt.Errorf("%s is a folder: name a file in it", arg)
	}
	// The charset that the system's table adds is a guess; the page knows better.
	kind, _, _ := mime.ParseMediaType(mime.TypeByExtension(filepath.Ext(arg)))
	p, err := single.Read(f, kind)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", arg, err)
	}
	p.File, err = f.Stat()
	return p, err
}

// fetchPage fetches one page as its robots.txt allows.
func fetchPage(ctx context.Context, u weburl.URL, contact string) (*single.Page, error) {
	s := configs.Default()
	s.Contact, s.AllowLoopback = contact, u.Loopback()
	if err := s.Validate(); err != nil {
		return nil, Usagef("%w", err)
	}
	c, err := fetch.NewClient(fetch.ClientOptions{Fetch: s.FetchOptions(version.Short())})
	if err != nil {
		return nil, err
	}
	defer c.Close()
	r, err := c.Get(ctx, u)
	switch {
	case err != nil:
		return nil, err
	case r.Location() != "":
		to := r.Location()
		if target, err := u.Parse(to); err == nil {
			to = target.String()
		}
		return nil, fmt.Errorf("%s has moved: view %s", u, to)
	case r.Status < 200 || r.Status > 299:
		return nil, fmt.Errorf("%s: http status %d", u, r.Status)
	case !r.IsHTML() && !r.IsText() && document.KindOf(r.ContentType) == document.None:
		return nil, fmt.Errorf("%s is %s, which has no text to view", u, fetch.DescribeType(r.ContentType))
	}
	return &single.Page{URL: u, Content: r.Body, Type: r.MediaType()}, nil
}
