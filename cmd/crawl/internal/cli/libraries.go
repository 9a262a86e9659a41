package cli

import (
	"log"
	"log/slog"
)

// LogLibraries sends what libraries write to the standard logger to a handler, as details: net/http says
// there what a server sends behind the end of an answer, and that is neither a fault nor in the form of the
// other lines. Commands without a log of their own drop it.
func LogLibraries(to slog.Handler) {
	log.SetFlags(0)
	log.SetOutput(slog.NewLogLogger(to, slog.LevelDebug).Writer())
}
