package cli

import (
	"io"
	"log"
	"log/slog"
)

// NewLog returns a log of text or of JSON lines, with details if it is verbose. What libraries write to the
// standard logger is among these: net/http says there what a server sends behind the end of an answer, and
// that is neither a fault nor in the form of the other lines. Commands without a log of their own drop it.
func NewLog(w io.Writer, verbose, asJSON bool) *slog.Logger {
	o := &slog.HandlerOptions{Level: slog.LevelInfo}
	if verbose {
		o.Level = slog.LevelDebug
	}
	var to slog.Handler = slog.NewTextHandler(w, o)
	if asJSON {
		to = slog.NewJSONHandler(w, o)
	}
	log.SetFlags(0)
	log.SetOutput(slog.NewLogLogger(to, slog.LevelDebug).Writer())
	return slog.New(to)
}
