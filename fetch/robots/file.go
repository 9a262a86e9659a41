package robots

import (
	"encoding/binary"
	"errors"
	"fmt"
	"net/http"
	"time"
)

const (
	// maxLife is how long an answer is used: RFC 9309, section 2.4, allows at most a day.
	maxLife = 24 * time.Hour

	// failureLife is how long a failure is used. Until then nothing of the host is fetched; then
	// robots.txt is requested again.
	failureLife = 10 * time.Minute

	// maxWait bounds a stored Wait, so that adding it to a time cannot overflow.
	maxWait = 365 * 24 * time.Hour
)

// A File is what a site answered to a request for its robots.txt, as it is cached and stored. The
// zero File has expired.
type File struct {
	Origin  string        // scheme://host; MarshalBinary does not store it
	Status  int           // of the last answer; 0 if there was none
	Body    []byte        // of a 2xx answer, as much of it as was read
	Fetched time.Time     // when it was requested; MarshalBinary stores it to the second
	Wait    time.Duration // Retry-After of an answer without a robots.txt, else 0
	Phase   string        // if Status is 0, the fetch.Phase in which the request failed; "": unknown
	Failure string        // why there was no answer, if Status is 0
	Addr    string        // the address that answered, host:port; MarshalBinary does not store it
	Final   bool          // requesting it again soon is useless; MarshalBinary does not store it
}

// Failed reports whether the rules of the site are unknown: it could not be reached, or was too
// busy. 429 counts like 503, although it is a 4xx; Google's crawler does the same.
func (f *File) Failed() bool {
	return f.Status == 0 || f.Status >= 500 || f.Status == http.StatusTooManyRequests
}

// Why explains why there is no robots.txt to obey: kind is Phase or "robots.txt", reason the whole
// failure in words. Both are "" if there is one.
func (f *File) Why() (kind, reason string) {
	switch {
	case !f.Failed():
		return "", ""
	case f.Status != 0:
		return "robots.txt", fmt.Sprintf("robots.txt: http %d", f.Status)
	case f.Phase == "":
		return "robots.txt", f.Failure + " (asking for robots.txt)"
	}
	return f.Phase, f.cause() + " (asking for robots.txt)"
}

// cause returns the phase and the reason of a failure.
func (f *File) cause() string {
	if f.Phase == "" {
		return f.Failure
	}
	return f.Phase + ": " + f.Failure
}

// Rules returns the rules that follow from the answer (RFC 9309, section 2.3.1): those of the
// body for 2xx; everything is allowed if there is no file (4xx, or a redirect that leads
// nowhere); nothing is allowed while the site fails (5xx, 429, unreachable). It parses the body
// again at each call.
func (f File) Rules() *Rules {
	switch {
	case f.Status == 0:
		return forAll(false, "robots.txt could not be read: "+f.cause())
	case f.Failed():
		return forAll(false, fmt.Sprintf("robots.txt answered %d", f.Status))
	case f.Status < 200 || f.Status > 299:
		return forAll(true, fmt.Sprintf("no robots.txt: answered %d", f.Status))
	}
	return Parse(f.Body)
}

// life returns how long the answer is used: a day, or after a failure ten minutes or as long as a
// Retry-After asks, but never more than a day.
func (f *File) life() time.Duration {
	if f.Failed() {
		return min(max(failureLife, f.Wait), maxLife)
	}
	return maxLife
}

// Expired reports whether robots.txt has to be requested again. Changing the machine's clock has no
// effect while the file is in memory. A stored file with a time in the future counts as expired:
// the clock was set back since, and its age is unknown.
func (f File) Expired(now time.Time) bool {
	age := now.Sub(f.Fetched)
	return age < 0 || age >= f.life()
}

// fileFormat is the version of what MarshalBinary writes.
const fileFormat = 3

// MarshalBinary writes the version (3); as varints the status, the second of Fetched (Unix) and
// that of Wait; and Phase, Failure and Body, each after its length as a varint. In version 2 Origin
// stands before these.
func (f File) MarshalBinary() ([]byte, error) {
	b := make([]byte, 0, 32+len(f.Phase)+len(f.Failure)+len(f.Body))
	b = append(b, fileFormat)
	b = binary.AppendVarint(b, int64(f.Status))
	b = binary.AppendVarint(b, f.unix())
	b = binary.AppendVarint(b, int64(f.Wait/time.Second))
	for _, s := range []string{f.Phase, f.Failure, string(f.Body)} {
		b = binary.AppendUvarint(b, uint64(len(s)))
		b = append(b, s...)
	}
	return b, nil
}

// unix returns Fetched in seconds, 0 for none.
func (f *File) unix() int64 {
	if f.Fetched.IsZero() {
		return 0
	}
	return f.Fetched.Unix()
}

// UnmarshalBinary reads what MarshalBinary wrote. It keeps no reference to b.
func (f *File) UnmarshalBinary(b []byte) error {
	if len(b) == 0 || b[0] < 1 || b[0] > fileFormat {
		return errors.New("robots file has an unknown format")
	}
	r := fieldReader{b: b[1:]}
	v := File{Status: int(r.number())}
	if s := r.number(); s != 0 {
		v.Fetched = time.Unix(s, 0).UTC()
	}
	v.Wait = time.Duration(min(max(r.number(), 0), int64(maxWait/time.Second))) * time.Second
	if b[0] < 3 {
		v.Origin = string(r.text())
	}
	if b[0] > 1 { // in older records Phase was part of Failure
		v.Phase = string(r.text())
	}
	v.Failure = string(r.text())
	v.Body = append([]byte(nil), r.text()...)
	if r.short || len(r.b) > 0 {
		return errors.New("robots file is damaged")
	}
	*f = v
	return nil
}

// A fieldReader reads fields from b until b is too short.
type fieldReader struct {
	b     []byte
	short bool
}

func (r *fieldReader) number() int64 {
	v, n := binary.Varint(r.b)
	if n <= 0 {
		r.short, r.b = true, nil
		return 0
	}
	r.b = r.b[n:]
	return v
}

func (r *fieldReader) text() []byte {
	size, n := binary.Uvarint(r.b)
	if n <= 0 || size > uint64(len(r.b)-n) {
		r.short, r.b = true, nil
		return nil
	}
	s := r.b[n : n+int(size)]
	r.b = r.b[n+int(size):]
	return s
}
