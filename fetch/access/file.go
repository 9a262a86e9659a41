package access

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"runtime"
	"strconv"
	"strings"
	"time"

	"golang.org/x/net/http/httpguts"

	"gatecrawl.example/gatecrawl/frontier/weburl"
)

// maxFile is the longest file with secrets, in bytes.
const maxFile = 1 << 20

// ReadSecret reads a file with secrets that only its owner, or root and a group, can read. If
// others can read it, the error says what to do.
func ReadSecret(path string) ([]byte, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() || info.Size() > maxFile {
		return nil, &fs.PathError{Op: "read", Path: path, Err: fmt.Errorf("not a file of at most %d bytes", maxFile)}
	}
	if perm := info.Mode().Perm(); !private(perm, ownedByRoot(info), os.Geteuid() == 0) && runtime.GOOS != "windows" {
		return nil, fmt.Errorf("%s can be read by others (mode %v): chmod 600 %s", path, perm, path)
	}
	return os.ReadFile(path)
}

// private reports whether a file's mode keeps others from reading it. A file of root that a group
// can read counts as private for a program in that group: Kubernetes and systemd provide secrets
// like that.
func private(perm fs.FileMode, rootOwns, isRoot bool) bool {
	if rootOwns && !isRoot {
		return perm&0o037 == 0
	}
	return perm&0o077 == 0
}

// ReadCookies adds the cookies of a file in Netscape's format, which browsers' add-ons, curl and
// wget write: domain, whether subdomains are included, path, whether TLS is needed, the expiry time
// in seconds since 1970, name and value, with tabs between them. Only its owner may be able to read
// the file. An error names the line and does not repeat it.
func (j *Jar) ReadCookies(path string) error {
	text, err := ReadSecret(path)
	if err != nil {
		return err
	}
	var faults []error
	n := 0
	now := time.Now()
	for line := range strings.Lines(string(text)) {
		n++
		c, err := parseCookieLine(strings.TrimRight(line, "\r\n"))
		switch {
		case err != nil:
			faults = append(faults, fmt.Errorf("%s:%d: %w", path, n, err))
		case c.Name != "" && (c.Expires.IsZero() || now.Before(c.Expires)):
			j.mu.Lock()
			j.given[c.Host] = append(j.given[c.Host], c)
			j.mu.Unlock()
		}
		if len(faults) == 5 {
			break
		}
	}
	return errors.Join(faults...)
}

// parseCookieLine reads a line of a cookie file; it returns the zero cookie if the line has none.
func parseCookieLine(line string) (c cookie, err error) {
	line = strings.TrimPrefix(line, "#HttpOnly_")
	if line == "" || line[0] == '#' {
		return c, nil
	}
	f := strings.Split(line, "\t")
	if len(f) == 6 {
		f = append(f, "") // an empty value
	}
	switch len(f) {
	case 7:
	case 1:
		return c, errors.New("1 field: a line of a cookie file has seven, with tabs between")
	default:
		return c, fmt.Errorf("%d fields: a line of a cookie file has seven, with tabs between", len(f))
	}
	u, err := weburl.Parse("https://" + strings.TrimPrefix(f[0], ".") + "/")
	if err != nil || u.Path() != "/" {
		return c, errors.New("its first field is not a domain")
	}
	c = cookie{Host: u.Hostname(), Given: true, Below: strings.EqualFold(f[1], "TRUE"), Path: f[2], Secure: strings.EqualFold(f[3], "TRUE"), Name: f[5], Value: f[6]}
	if c.Below && isPublicSuffix(c.Host) {
		return cookie{}, fmt.Errorf("strangers have names below %s: no cookie is for all of them", c.Host)
	}
	if !strings.HasPrefix(c.Path, "/") {
		return cookie{}, errors.New("its path does not start with /")
	}
	end, err := strconv.ParseFloat(f[4], 64) // some write fractions
	if err != nil {
		return cookie{}, errors.New("its fifth field is not a time in seconds since 1970")
	}
	if end > 0 {
		c.Expires = time.Unix(int64(end), 0)
	}
	if !httpguts.ValidHeaderFieldName(c.Name) || !httpguts.ValidHeaderFieldValue(c.Value) || strings.Contains(c.Value, ";") {
		return cookie{}, errors.New("its name or value has a character that no cookie may have")
	}
	return c, nil
}
