package warc

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
)

// A Capture is a line of an index: where the response for a URL is stored. Missing numbers
// are -1, missing texts "".
type Capture struct {
	Key      string // the sort key of indexes, see keyOf
	Time     time.Time
	URL      string
	MIME     string
	Status   int
	Digest   string // of the payload
	Redirect string
	Meta     string // robots directives of the page, as one letter each
	Length   int64  // bytes of the record, compressed
	Offset   int64  // of the record in File
	File     string
}

// A LineError is a line of an index that cannot be read. Reading continues after it.
type LineError struct {
	Name string // of the index
	Line int    // from 1
	Err  error
}

// Error names the index and the line.
func (e *LineError) Error() string { return fmt.Sprintf("%s:%d: %v", e.Name, e.Line, e.Err) }

// Unwrap returns what is wrong with the line.
func (e *LineError) Unwrap() error { return e.Err }

// maxIndexLine bounds a line of an index: the longest URLs have some 64 KiB.
const maxIndexLine = 256 << 10

// layouts are the fields of a CDX line without a header, by their number, in
// the letters of the format.
var layouts = map[int]string{
	9:  "NbamskrVg",
	10: "NbamskrMVg",
	11: "NbamskrMSVg",
}

// Captures reads an index in CDX or CDXJ, line by line. A CDX file may name its fields in
// a first line that starts with " CDX"; otherwise it has the usual 9, 10 or 11 fields. A
// bad line yields a *LineError, and reading continues; any other error is yielded last.
// name is used in errors.
func Captures(r io.Reader, name string) iter.Seq2[Capture, error] {
	return func(yield func(Capture, error) bool) {
		in := bufio.NewReaderSize(r, maxIndexLine)
		layout := ""
		for n := 1; ; n++ {
			line, err := in.ReadSlice('\n')
			if err == bufio.ErrBufferFull {
				if !yield(Capture{}, &LineError{name, n, fmt.Errorf("longer than %d KiB", maxIndexLine>>10)}) {
					return
				}
				for err == bufio.ErrBufferFull {
					_, err = in.ReadSlice('\n')
				}
				line = nil
			}
			if err != nil && err != io.EOF {
				yield(Capture{}, fmt.Errorf("%s:%d: %w", name, n, err))
				return
			}
			if letters, ok := cdxHeader(line); ok {
				layout = letters
			} else if text := bytes.TrimSpace(line); len(text) > 0 && text[0] != '!' && text[0] != '@' {
				c, bad := readCapture(string(text), layout)
				if bad != nil {
					bad = &LineError{name, n, bad}
				}
				if !yield(c, bad) {
					return
				}
			}
			if err == io.EOF {
				return
			}
		}
	}
}

// cdxHeader reads the line that names the fields.
func cdxHeader(line []byte) (letters string, ok bool) {
	f := strings.Fields(string(bytes.TrimPrefix(line, []byte("\ufeff"))))
	if len(f) < 2 || f[0] != "CDX" {
		return "", false
	}
	return strings.Join(f[1:], ""), true
}

func readCapture(line, layout string) (Capture, error) {
	if f := strings.SplitN(line, " ", 3); len(f) == 3 && strings.HasPrefix(f[2], "{") {
		return readCDXJ(f[0], f[1], f[2])
	}
	f := strings.Fields(line)
	if layout == "" {
		layout = layouts[len(f)]
	}
	if layout == "" {
		return Capture{}, fmt.Errorf("%d fields without a header line \" CDX ...\" that names them; want 9, 10 or 11", len(f))
	}
	if len(f) != len(layout) {
		return Capture{}, fmt.Errorf("%d fields; the header line names %d", len(f), len(layout))
	}
	c := Capture{Status: -1, Length: -1, Offset: -1}
	for i, value := range f {
		if value == "-" {
			continue
		}
		if err := c.set(layout[i], value); err != nil {
			return Capture{}, err
		}
	}
	if c.URL == "" {
		return Capture{}, errors.New("no URL")
	}
	return c, nil
}

// set sets the field of a letter; unused letters are ignored.
func (c *Capture) set(letter byte, value string) (err error) {
	switch letter {
	case 'N':
		c.Key = value
	case 'b':
		c.Time, err = captureTime(value)
	case 'a':
		c.URL = value
	case 'm':
		c.MIME = value
	case 's':
		c.Status, err = strconv.Atoi(value)
	case 'k':
		c.Digest = value
	case 'r':
		c.Redirect = value
	case 'M':
		c.Meta = value
	case 'S':
		c.Length, err = strconv.ParseInt(value, 10, 64)
	case 'V':
		c.Offset, err = strconv.ParseInt(value, 10, 64)
	case 'g':
		c.File = value
	}
	if err != nil {
		return fmt.Errorf("field %c: %q: %w", letter, value, plain(err))
	}
	return nil
}

// plain returns an error about a number without the name of a function.
func plain(err error) error {
	var bad *strconv.NumError
	if errors.As(err, &bad) {
		return errors.New("not a number")
	}
	return err
}

// captureTime reads a timestamp of 14 digits; one of fewer, at
// least 4, names the start of its year, month, day and so on.
func captureTime(s string) (time.Time, error) {
	const whole = "20060102150405"
	if len(s) > len(whole) {
		s = s[:len(whole)] // 17 digits have milliseconds
	}
	if len(s) < 4 || len(s)%2 == 1 {
		return time.Time{}, errors.New("not a time of 4 to 14 digits")
	}
	t, err := time.Parse(whole[:len(s)], s)
	if err != nil {
		return time.Time{}, errors.New("not a time of 4 to 14 digits")
	}
	return t, nil
}

// number is a JSON number that most indexes write as text.
type number string

func (n *number) UnmarshalJSON(b []byte) error {
	*n = number(bytes.Trim(b, `"`))
	return nil
}

// int returns -1 for a text that is not a number: indexes write "" and "-".
func (n number) int() int64 {
	v, err := strconv.ParseInt(string(n), 10, 64)
	if err != nil {
		return -1
	}
	return v
}

func readCDXJ(key, when, rest string) (Capture, error) {
	var in struct {
		URL      string `json:"url"`
		MIME     string `json:"mime"`
		Status   number `json:"status"`
		Digest   string `json:"digest"`
		Redirect string `json:"redirect"`
		Meta     string `json:"robotflags"`
		Length   number `json:"length"`
		Offset   number `json:"offset"`
		File     string `json:"filename"`
	}
	if err := json.Unmarshal([]byte(rest), &in); err != nil {
		return Capture{}, fmt.Errorf("not a JSON object after key and time: %w", err)
	}
	if in.URL == "" {
		return Capture{}, errors.New(`no "url" in the object`)
	}
	t, err := captureTime(when)
	if err != nil {
		return Capture{}, fmt.Errorf("%q: %w", when, err)
	}
	return Capture{
		Key: key, Time: t, URL: in.URL, MIME: in.MIME, Status: int(in.Status.int()), Digest: in.Digest,
		Redirect: in.Redirect, Meta: in.Meta, Length: in.Length.int(), Offset: in.Offset.int(), File: in.File,
	}, nil
}

// AppendCDXJ appends c as a line of CDXJ: the key of its URL, time, and the rest as JSON with
// numbers as text, as pywb writes them. Lines that are sorted by their bytes are an index.
func AppendCDXJ(b []byte, c Capture) []byte {
	if c.Key == "" {
		c.Key = keyOf(c.URL)
	}
	text, err := json.Marshal(struct {
		URL      string `json:"url"`
		MIME     string `json:"mime,omitempty"`
		Status   string `json:"status,omitempty"`
		Digest   string `json:"digest,omitempty"`
		Redirect string `json:"redirect,omitempty"`
		Meta     string `json:"robotflags,omitempty"`
		Length   string `json:"length,omitempty"`
		Offset   string `json:"offset,omitempty"`
		File     string `json:"filename,omitempty"`
	}{c.URL, c.MIME, numeral(int64(c.Status)), c.Digest, c.Redirect, c.Meta, numeral(c.Length), numeral(c.Offset), c.File})
	if err != nil {
		panic("strings always have a JSON form: " + err.Error())
	}
	b = append(b, strings.Join(strings.Fields(c.Key), "%20")...)
	b = append(b, ' ')
	b = append(b, stamp14(c.Time)...)
	b = append(b, ' ')
	b = append(b, text...)
	return append(b, '\n')
}

func stamp14(t time.Time) string { return t.UTC().Format("20060102150405") }

// numeral writes a number, or "" for an unknown one.
func numeral(n int64) string {
	if n < 0 {
		return ""
	}
	return strconv.FormatInt(n, 10)
}

// keyOf returns the key by which indexes sort a URL: the host's labels from the last to
// the first without a leading www, a port other than the scheme's, then ")" and path and
// query, all in lower case (SURT as in pywb and OpenWayback, without their lists of
// session ids). The key of a URL that cannot be parsed is the URL itself.
func keyOf(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		return strings.ToLower(address)
	}
	host := strings.TrimSuffix(strings.ToLower(u.Hostname()), ".")
	if rest, ok := strings.CutPrefix(host, "www"); ok {
		if rest = strings.TrimLeft(rest, "0123456789"); strings.HasPrefix(rest, ".") && strings.Contains(rest[1:], ".") {
			host = rest[1:]
		}
	}
	key := host
	if strings.Trim(host, "0123456789.") != "" && !strings.Contains(host, ":") {
		labels := strings.Split(host, ".")
		slices.Reverse(labels)
		key = strings.Join(labels, ",")
	}
	if p := u.Port(); p != "" && !(u.Scheme == "http" && p == "80") && !(u.Scheme == "https" && p == "443") {
		key += ":" + p
	}
	path := strings.ToLower(u.EscapedPath())
	if len(path) > 1 {
		path = strings.TrimSuffix(path, "/")
	}
	if path == "" {
		path = "/"
	}
	key += ")" + path
	if u.RawQuery != "" {
		key += "?" + sortedQuery(strings.ToLower(u.RawQuery))
	}
	return key
}

// sortedQuery sorts the parts of a query.
func sortedQuery(q string) string {
	parts := strings.Split(q, "&")
	slices.Sort(parts)
	return strings.Join(parts, "&")
}
