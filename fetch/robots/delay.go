package robots

import (
	"math"
	"strconv"
	"strings"
	"time"
)

// longestDelay is the longest Crawl-delay that is returned. A longer one is a mistake or means "do
// not crawl", and the queue has a lower limit of its own.
const longestDelay = 24 * time.Hour

// parseDelay reads the number of seconds that a Crawl-delay starts with, such as "10", "0.5",
// "10s" or "10 seconds".
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

// delaysOf returns the longest delay of each product token and of "*", in seconds.
func delaysOf(runs []delayRun) map[string]float64 {
	var delays map[string]float64
	for _, run := range runs {
		if run.seconds == 0 {
			continue
		}
		if delays == nil {
			delays = make(map[string]float64)
		}
		for _, token := range run.tokens {
			delays[token] = max(delays[token], run.seconds)
		}
	}
	return delays
}

// sitemapAddress returns the URL of a sitemap line, "" if it has none.
func sitemapAddress(value string) string {
	return strings.Join(strings.Fields(strings.ToValidUTF8(value, "")), "%20")
}
