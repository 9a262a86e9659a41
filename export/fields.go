package export

import (
	"fmt"
	"strings"
	"time"

	"gatecrawl.example/gatecrawl/dedup"
	"gatecrawl.example/gatecrawl/page"
)

// A kind is the type of a field's values.
type kind uint8

const (
	kindText kind = iota
	kindInt
	kindFloat
	kindTime
	kindList // of texts
	kindBool
)

// A value is the value of a field in a row. The kind of the field says which part is set; null says
// that the row has no value.
type value struct {
	null  bool
	text  string
	int   int64
	float float64
	time  time.Time
	list  []string
	yes   bool
}

func textOf(s string) value {
	return value{text: s, null: s == ""}
}

func intOf[T int | int64 | uint64](n T) value { return value{int: int64(n)} }

// A field is a column of a table.
type field struct {
	name string
	kind kind
	rest bool // it is written only on request
	of   func(r *row) (value, error)
}

func textField(name string, of func(r *row) string) field {
	return field{name: name, of: func(r *row) (value, error) { return textOf(of(r)), nil }}
}

func intField(name string, of func(r *row) int64) field {
	return field{name: name, kind: kindInt, of: func(r *row) (value, error) { return value{int: of(r)}, nil }}
}

func (f field) optional() field {
	f.rest = true
	return f
}

// whole returns a field of the page's text or view, reading of which may fail.
func whole(name string, k kind, of func(r *row) (value, error)) field {
	return field{name: name, kind: k, of: of}
}

// fields are all columns, in the order in which they are written.
var fields = []field{
	textField("url", func(r *row) string { return r.page.URL }),
	textField("title", func(r *row) string { return r.page.Title }),
	whole("text", kindText, func(r *row) (value, error) {
		text, err := r.text(true)
		return textOf(text), err
	}),
	whole("markdown", kindText, func(r *row) (value, error) {
		text, err := r.text(false)
		return textOf(text), err
	}).optional(),
	textField("lang", func(r *row) string { return r.page.Lang }),
	whole("date", kindText, func(r *row) (value, error) {
		v, err := r.view()
		return textOf(v.Date), err
	}),
	whole("author", kindText, func(r *row) (value, error) {
		v, err := r.view()
		return textOf(v.Author), err
	}),
	textField("page_type", func(r *row) string { return r.page.PageType }),
	whole("keywords", kindList, func(r *row) (value, error) {
		v, err := r.summed()
		words := make([]string, len(v.Keywords))
		for i, k := range v.Keywords {
			words[i] = k.Word
		}
		return value{list: words}, err
	}),
	textField("verdict", func(r *row) string { return string(r.page.Verdict) }),
	textField("of", func(r *row) string { return r.page.Of }),
	textField("class", func(r *row) string { return r.page.Class }),
	{name: "level", kind: kindInt, of: func(r *row) (value, error) { return value{int: int64(r.page.Level), null: r.page.Level == 0}, nil }},
	{name: "similarity", kind: kindFloat, of: func(r *row) (value, error) {
		return value{float: r.page.Similarity, null: r.page.Level == 0}, nil
	}},
	intField("degree", func(r *row) int64 { return int64(r.from.Degree) }),
	intField("copies", func(r *row) int64 { return int64(r.from.Copies) }),
	{name: "relevance", kind: kindFloat, of: func(r *row) (value, error) { return value{float: shortest(r.page.Relevance)}, nil }},
	textField("digest", func(r *row) string { return r.page.Digest }),
	whole("body_digest", kindText, func(r *row) (value, error) {
		v, err := r.view()
		if d := dedup.DigestOfWords(v.Body); !d.IsZero() {
			return textOf(d.String()), err
		}
		return textOf(""), err
	}),
	textField("simhash", func(r *row) string { return r.page.SimHash }),
	{name: "fetched", kind: kindTime, of: func(r *row) (value, error) {
		return value{time: r.page.Fetched, null: r.page.Fetched.IsZero()}, nil
	}},
	intField("status", func(r *row) int64 { return int64(r.page.Status) }),
	textField("content_type", func(r *row) string { return r.page.Type }),
	textField("warc_file", func(r *row) string { return r.from.File }),
	{name: "warc_offset", kind: kindInt, of: func(r *row) (value, error) {
		return value{int: r.from.Offset, null: r.from.File == ""}, nil
	}},

	{name: "inlinks", kind: kindInt, of: func(r *row) (value, error) { return value{int: int64(r.from.Inlinks)}, nil }, rest: true},
	{name: "part_of", kind: kindList, of: func(r *row) (value, error) { return value{list: urlsOf(r.page.PartOf)}, nil }, rest: true},
	{name: "part_of_share", kind: kindFloat, of: func(r *row) (value, error) {
		if len(r.page.PartOf) == 0 {
			return value{null: true}, nil
		}
		return value{float: r.page.PartOf[0].Share}, nil // the largest comes first
	}, rest: true},
	{name: "contains", kind: kindList, of: func(r *row) (value, error) { return value{list: urlsOf(r.page.Contains)}, nil }, rest: true},
	textField("archive", func(r *row) string { return r.page.Archive }).optional(),
	intField("seq", func(r *row) int64 { return int64(r.page.Seq) }).optional(),
	whole("words", kindInt, func(r *row) (value, error) {
		n, err := r.words()
		return intOf(n), err
	}).optional(),
	whole("abstract", kindText, func(r *row) (value, error) {
		v, err := r.summed()
		return textOf(v.Abstract), err
	}).optional(),
	whole("category", kindList, func(r *row) (value, error) {
		v, err := r.view()
		return value{list: v.Category}, err
	}).optional(),
	whole("canonical", kindText, func(r *row) (value, error) {
		v, err := r.view()
		return textOf(r.absolute(v.Canonical)), err
	}).optional(),
	whole("links", kindList, func(r *row) (value, error) {
		list, err := r.links()
		all := make([]string, len(list))
		for i := range list {
			all[i] = list[i].URL
		}
		return value{list: all}, err
	}).optional(),
	whole("html", kindText, func(r *row) (value, error) {
		return textOf(r.decoded()), nil
	}).optional(),
	textField("host", func(r *row) string { return r.host() }).optional(),
	textField("charset", func(r *row) string { return r.page.Charset }).optional(),
	intField("bytes", func(r *row) int64 { return r.page.Bytes }).optional(),
	intField("took_ms", func(r *row) int64 { return int64(r.page.TookMS) }).optional(),
	intField("depth", func(r *row) int64 { return int64(r.page.Depth) }).optional(),
	{name: "score", kind: kindFloat, of: func(r *row) (value, error) { return value{float: shortest(r.page.Score)}, nil }, rest: true},
	textField("reason", func(r *row) string { return r.page.Reason }).optional(),
	textField("rule", func(r *row) string { return r.page.Rule }).optional(),
	textField("location", func(r *row) string { return r.page.Location }).optional(),
	textField("label", func(r *row) string { return r.page.Label }).optional(),
	{name: "truncated", kind: kindBool, of: func(r *row) (value, error) { return value{yes: r.page.Truncated}, nil }, rest: true},
	textField("text_error", func(r *row) string { return r.page.TextError }).optional(),
	textField("etag", func(r *row) string { return r.page.ETag }).optional(),
	textField("last_modified", func(r *row) string { return r.page.LastModified }).optional(),
	{name: "gone", kind: kindTime, of: func(r *row) (value, error) {
		return value{time: r.page.Gone, null: r.page.Gone.IsZero()}, nil
	}, rest: true},

	{name: "chunk", kind: kindInt, of: func(r *row) (value, error) { return intOf(r.chunkNumber), nil }, rest: true},
	{name: "headings", kind: kindList, of: func(r *row) (value, error) { return value{list: r.chunk.Trail}, nil }, rest: true},
	{name: "offset", kind: kindInt, of: func(r *row) (value, error) { return intOf(r.chunk.Offset), nil }, rest: true},
}

func urlsOf(parts []page.Part) []string {
	urls := make([]string, len(parts))
	for i := range parts {
		urls[i] = parts[i].URL
	}
	return urls
}

// chunkFields are written after the title if pages are cut into chunks.
var chunkFields = []string{"chunk", "headings", "offset"}

// FieldNames returns the names of all fields, the default ones first, without those of selectors:
// see Options.Fields.
func FieldNames() []string {
	names := DefaultFields()
	for i := range fields {
		if fields[i].rest {
			names = append(names, fields[i].name)
		}
	}
	return names
}

// DefaultFields returns the fields that are written unless others are chosen.
func DefaultFields() []string {
	var names []string
	for i := range fields {
		if !fields[i].rest {
			names = append(names, fields[i].name)
		}
	}
	return names
}

// fieldNamed returns the field with a name, nil if there is none.
func fieldNamed(name string) *field {
	for i := range fields {
		if fields[i].name == name {
			return &fields[i]
		}
	}
	return extracted(name)
}

// extracted returns the field with the values that a selector found on pages: fields.NAME is the
// first value, and fields.NAME[] all of them. nil: the name does not have this form.
func extracted(name string) *field {
	of, ok := strings.CutPrefix(name, "fields.")
	of, list := strings.CutSuffix(of, "[]")
	if !ok || of == "" || strings.ContainsAny(of, `,"`) {
		return nil
	}
	if list {
		return &field{name: name, kind: kindList, of: func(r *row) (value, error) { return value{list: r.page.Fields.Get(of)}, nil }}
	}
	first := textField(name, func(r *row) string {
		if found := r.page.Fields.Get(of); len(found) > 0 {
			return found[0]
		}
		return ""
	})
	return &first
}

// chosen returns the fields of an export.
func (o *Options) chosen() ([]field, error) {
	names := o.Fields
	if len(names) == 0 {
		names = DefaultFields()
		if o.Chunks > 0 {
			names = append(append(append([]string(nil), names[:2]...), chunkFields...), names[2:]...)
		}
	}
	all := make([]field, 0, len(names))
	seen := map[string]bool{}
	for _, name := range names {
		f := fieldNamed(name)
		switch {
		case f == nil:
			return nil, fmt.Errorf("there is no field %q", name)
		case seen[name]:
			return nil, fmt.Errorf("the field %q is named twice", name)
		case o.Chunks == 0 && (name == "chunk" || name == "headings" || name == "offset"):
			return nil, fmt.Errorf("the field %q is of chunks: give --chunks N too", name)
		}
		seen[name] = true
		all = append(all, *f)
	}
	return all, nil
}
