package exam

import (
	"encoding/xml"
	"fmt"
	"io"
	"math"
	"strings"
)

// The drawing, in pixels.
const (
	plotWidth  = 1080
	plotHeight = 720
	plotLeft   = 70
	plotTop    = 50                           // below the first line of the title
	titleStep  = 22                           // from a line of the title to the next
	titleCells = (plotWidth - 2*plotLeft) / 9 // of a line; no Latin letter of the title's size is wider on average
	plotSide   = 600                          // of the square that has the curves
	legendLeft = plotLeft + plotSide + 40
	legendStep = 21
)

// Plot writes an SVG drawing of the results' precision over recall: a line for
// each swept threshold, and a dot where the method's own is. The title may have
// several lines, and long ones are broken.
func Plot(w io.Writer, title string, results []Result) error {
	var b strings.Builder
	lines := titleLines(title)
	down := titleStep * (len(lines) - 1)
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %[1]d %[2]d" font-family="sans-serif" font-size="13">`+"\n",
		plotWidth, down+max(plotHeight, plotTop+legendStep*(len(results)+1)))
	fmt.Fprintln(&b, `<rect width="100%" height="100%" fill="white"/>`)
	for i, line := range lines {
		fmt.Fprintf(&b, `<text x="%d" y="%d" font-size="16">%s</text>`+"\n", plotLeft, 28+i*titleStep, escaped(line))
	}
	fmt.Fprintf(&b, `<g transform="translate(0 %d)">`+"\n", down)
	axes(&b)
	for i, r := range results {
		draw(&b, i, r)
	}
	fmt.Fprintln(&b, "</g>\n</svg>")
	_, err := io.WriteString(w, b.String())
	return err
}

// titleLines breaks a title so that no line is cut off at the drawing's edge:
// between words, and inside of those that are longer than a line. A wide
// character, as of Chinese, takes two cells.
func titleLines(title string) []string {
	var lines []string
	for _, part := range strings.Split(title, "\n") {
		var line []rune
		cells, space := 0, -1 // space is where the last one is in line
		for _, r := range part {
			if cells >= titleCells {
				rest := []rune(nil)
				if space > 0 {
					line, rest = line[:space], append(rest, line[space+1:]...)
				}
				lines = append(lines, string(line))
				line, cells, space = rest, 0, -1
				for _, r := range line {
					cells += cellsOf(r)
				}
			}
			if r == ' ' {
				space = len(line)
			}
			line = append(line, r)
			cells += cellsOf(r)
		}
		lines = append(lines, string(line))
	}
	return lines
}

func cellsOf(r rune) int {
	if r >= 0x1100 {
		return 2
	}
	return 1
}

func axes(b *strings.Builder) {
	for tenth := range 11 {
		share := float64(tenth) / 10
		x, y := place(share, share)
		fmt.Fprintf(b, `<path d="M%.1f %d V%d M%d %.1f H%d" stroke="#ddd" fill="none"/>`+"\n",
			x, plotTop, plotTop+plotSide, plotLeft, y, plotLeft+plotSide)
		fmt.Fprintf(b, `<text x="%.1f" y="%d" text-anchor="middle">%.1f</text>`+"\n", x, plotTop+plotSide+20, share)
		fmt.Fprintf(b, `<text x="%d" y="%.1f" text-anchor="end">%.1f</text>`+"\n", plotLeft-8, y+4, share)
	}
	fmt.Fprintf(b, `<text x="%d" y="%d" text-anchor="middle">recall</text>`+"\n", plotLeft+plotSide/2, plotTop+plotSide+44)
	fmt.Fprintf(b, `<text transform="translate(%d %d) rotate(-90)" text-anchor="middle">precision</text>`+"\n", plotLeft-42, plotTop+plotSide/2)
}

// draw draws one method and its line of the legend. Hues go round the circle
// by the golden angle, so that neighbours differ; every second line is dashed.
func draw(b *strings.Builder, i int, r Result) {
	colour := hue(math.Mod(float64(i)*137.508, 360))
	dash := ""
	if i%2 == 1 {
		dash = ` stroke-dasharray="6 3"`
	}
	points := make([]string, len(r.Curve))
	for j, p := range r.Curve {
		x, y := place(p.Recall, p.Precision)
		points[j] = fmt.Sprintf("%.1f,%.1f", x, y)
	}
	fmt.Fprintf(b, `<polyline points="%s" stroke="%s" stroke-width="1.8" fill="none"%s/>`+"\n", strings.Join(points, " "), colour, dash)
	if s := r.Scores[0]; s.Found > 0 {
		x, y := place(s.Recall.Value, s.Precision.Value)
		fmt.Fprintf(b, `<circle cx="%.1f" cy="%.1f" r="4.5" fill="%s"/>`+"\n", x, y, colour)
	}
	y := plotTop + 8 + i*legendStep
	fmt.Fprintf(b, `<path d="M%d %d h28" stroke="%s" stroke-width="2.5" fill="none"%s/>`+"\n", legendLeft, y, colour, dash)
	fmt.Fprintf(b, `<text x="%d" y="%d">%s, F1 %.3f, best %.3f</text>`+"\n", legendLeft+36, y+4, escaped(r.Method), r.Scores[0].F1.Value, r.Best.F1)
}

// place returns where a recall and a precision are on the drawing.
func place(recall, precision float64) (x, y float64) {
	return plotLeft + plotSide*recall, plotTop + plotSide*(1-precision)
}

// hue returns a colour of a hue in degrees, dark enough for a white ground.
func hue(degrees float64) string {
	channel := func(shift float64) int {
		k := math.Mod(shift+degrees/30, 12)
		const light, rich = 0.42, 0.32
		return int(255 * (light - rich*max(-1, min(k-3, 9-k, 1))))
	}
	return fmt.Sprintf("#%02x%02x%02x", channel(0), channel(8), channel(4))
}

func escaped(s string) string {
	var b strings.Builder
	xml.EscapeText(&b, []byte(s)) // a Builder does not fail
	return b.String()
}
