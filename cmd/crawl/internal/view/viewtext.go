package view

import (
	"encoding/json"
	"fmt"
	"io"

	"github.com/spf13/pflag"

	"gatecrawl.example/gatecrawl/cmd/crawl/internal/cli"
	"gatecrawl.example/gatecrawl/frontier/weburl"
	"gatecrawl.example/gatecrawl/page"
	"gatecrawl.example/gatecrawl/purify"
	"gatecrawl.example/gatecrawl/purify/structure"
)

// viewText says how view prints a body.
type viewText struct {
	markdown, links bool
	chunks          int
}

func (t *viewText) flags(fs *pflag.FlagSet) {
	fs.BoolVar(&t.markdown, "markdown", false, "print the body alone, as Markdown")
	fs.BoolVar(&t.links, "links", false, "print the links too; with --markdown where they stand")
	fs.IntVar(&t.chunks, "chunks", 0, "print the body as JSON, a line for each piece of about `N` words")
}

func (t *viewText) check(asJSON bool, lines, paint string) error {
	switch {
	case t.chunks < 0:
		return cli.Usagef("--chunks: want a number of words above 0, got %d", t.chunks)
	case (t.only() || t.links) && (asJSON || lines != "" || paint != ""):
		return cli.Usagef("--markdown, --links and --chunks do not go with --json, --jsonl and --html: JSON has the links")
	}
	return nil
}

// only reports whether only the body is printed.
func (t *viewText) only() bool { return t.markdown || t.chunks > 0 }

// document returns a body with its structure, read from the page's bytes.
func (t *viewText) document(v *purify.DocView, content []byte, contentType string) *structure.Document {
	p := structure.Page{Bytes: content, ContentType: contentType, Body: v.Body, Title: v.Title}
	if of, err := weburl.Parse(v.URL); t.links && t.only() {
		p.Resolve = func(ref string) string {
			if err != nil {
				return ref // of a file: unchanged
			}
			to, err := page.Base(of, v).Parse(ref)
			if err != nil {
				return ""
			}
			return to.String()
		}
	}
	return structure.Read(p)
}

// write prints only the body.
func (t *viewText) write(w io.Writer, v *purify.DocView, content []byte, contentType string) error {
	doc := t.document(v, content, contentType)
	if t.chunks == 0 {
		_, err := fmt.Fprintln(w, doc.Markdown())
		return err
	}
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	for i, c := range doc.Chunks(t.chunks, !t.markdown) {
		err := enc.Encode(struct {
			Chunk    int      `json:"chunk"`
			Headings []string `json:"headings"`
			Offset   int      `json:"offset"`
			Words    int      `json:"words"`
			Text     string   `json:"text"`
		}{i + 1, c.Trail, c.Offset, c.Words, c.Text})
		if err != nil {
			return err
		}
	}
	return nil
}
