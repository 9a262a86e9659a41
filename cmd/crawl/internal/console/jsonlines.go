package console

import (
	"bytes"
	"io"
	"log/slog"
	"strings"
)

// JSONLines returns a writer of whole lines to w for programs that collect logs: a line that is not
// a JSON object becomes the message of one, as slog writes it.
func JSONLines(w io.Writer) io.Writer {
	return &jsonLines{w: w, log: slog.New(slog.NewJSONHandler(w, nil))}
}

type jsonLines struct {
	w    io.Writer
	log  *slog.Logger
	rest []byte // a line without its end so far
}

func (j *jsonLines) Write(p []byte) (int, error) {
	j.rest = append(j.rest, p...)
	for {
		line, rest, whole := bytes.Cut(j.rest, []byte("\n"))
		if !whole {
			return len(p), nil
		}
		if bytes.HasPrefix(line, []byte("{")) {
			if _, err := j.w.Write(append(line, '\n')); err != nil {
				return 0, err
			}
		} else if text := strings.TrimSpace(string(line)); text != "" {
			j.log.Info(text)
		}
		j.rest = rest
	}
}
