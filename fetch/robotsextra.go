package fetch

import (
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/temoto/robotstxt"
)

// longestDelay bounds a Crawl-delay; a longer one is a mistake or a way to say
// no, and the queue has its own bound.
const longestDelay = 24 * time.Hour

// parseDelay reads the number of seconds that a Crawl-delay begins with, such
// as "10", "0.5", "10s" or "10 seconds".
func parseDelay(value string) (float64, bool) {
	end := strings.IndexFunc(value, func(r rune) bool { return r != '.' && (r < '0' || r > '9') })
	if end >= 0 {
		value = value[:end]
	}
	seconds, err := strconv.ParseFloat(value, 64)
	if err != nil && !math.IsInf(seconds, 1) {
		return 0, false
	}
	return min(seconds, longestDelay.Seconds()), true
}

// readExtras reads what is outside of RFC 9309 with temoto/robotstxt.
//
// That package loses a whole file to one bad line and finds a group by the
// beginning of a name, so it does not see the file itself but a clean one,
// written from what our parser read: each token once, ended by a "$" that no
// token has, so that "my" is not found for "mybot".
func readExtras(runs []delayRun, sitemaps []string) *robotstxt.RobotsData {
	delays := map[string]float64{}
	for _, run := range runs {
		if run.seconds == 0 {
			continue
		}
		for _, token := range run.tokens {
			delays[token] = max(delays[token], run.seconds)
		}
	}
	var b strings.Builder
	for token, seconds := range delays {
		b.WriteString("User-agent: " + token + "$\nCrawl-delay: ")
		b.WriteString(strconv.FormatFloat(seconds, 'f', -1, 64))
		b.WriteString("\n")
	}
	for _, s := range sitemaps {
		s = strings.Join(strings.Fields(strings.ToValidUTF8(s, "")), "%20")
		if s != "" {
			b.WriteString("Sitemap: " + s + "\n")
		}
	}
	data, err := robotstxt.FromString(b.String())
	if err != nil {
		panic("a clean robots.txt does not parse: " + err.Error()) // every line above is well formed
	}
	return data
}
