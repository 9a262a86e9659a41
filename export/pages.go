package export

import (
	"fmt"
	"time"
)

// pages writes texts one after another, each with front matter.
type pages struct {
	w *counter
	e *Exporter
	n int
}

func (p *pages) write(r *row) (int64, error) {
	text, err := r.text(p.e.o.Format == Text)
	if err != nil {
		return 0, err
	}
	if text == "" {
		p.e.tally.Bare++
		return 0, nil
	}
	b, err := p.e.withFrontMatter(r, text)
	if err != nil {
		return 0, err
	}
	if p.n++; p.n > 1 {
		b = append([]byte("\n"), b...)
	}
	_, err = p.w.Write(b)
	return 1, err
}

func (p *pages) close() error { return nil }

// withFrontMatter returns a text after the metadata of its page: YAML between two lines of dashes,
// as static site generators read it.
func (e *Exporter) withFrontMatter(r *row, text string) ([]byte, error) {
	v, err := r.view()
	if err != nil {
		return nil, err
	}
	b := []byte("---\n")
	for _, line := range [...]struct{ name, value string }{
		{"url", r.page.URL}, {"title", v.Title}, {"lang", r.page.Lang}, {"date", v.Date}, {"author", v.Author},
		{"fetched", r.page.Fetched.UTC().Format(time.RFC3339)},
	} {
		if line.value != "" {
			b = appendString(fmt.Appendf(b, "%s: ", line.name), line.value) // a JSON string is valid YAML
			b = append(b, '\n')
		}
	}
	b = append(b, "---\n\n"...)
	return append(append(b, text...), '\n'), nil
}
