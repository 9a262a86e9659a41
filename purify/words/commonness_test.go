package words

import (
	"cmp"
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gatecrawl.example/gatecrawl/purify/markup"
	"gatecrawl.example/gatecrawl/purify/truth"
)

var fitWords = flag.Bool("words", false, "count the words of commonwords.txt anew")

// TestFitCommonWords writes commonwords.txt from the pages of the data folder:
// how many bodies have a word, by the natural logarithm, in quarters. Chinese
// pages are counted by themselves: no Chinese word could be common among all.
func TestFitCommonWords(t *testing.T) {
	if !*fitWords {
		t.Skip("run with -words to write commonwords.txt")
	}
	var latin, chinese frequencies
	for _, name := range []string{"web-content.jsonl.zst", "mixed-zh-en.jsonl.zst"} {
		err := truth.EachPage(filepath.Join("..", "..", "..", "shared", "data", "purify", name), func(p *truth.Page) {
			if script(p.Body) == "zh" {
				chinese.add(p.Body)
			} else {
				latin.add(p.Body)
			}
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	levels := map[int][]string{}
	rare := int(math.Round(4 * math.Log(50)))
	levels[rare] = nil
	for _, f := range []struct {
		frequencies
		cjk   bool
		least int
	}{{latin, false, latin.all / 50}, {chinese, true, 4}} {
		for word, n := range f.with {
			if n > f.least && f.cjk == (word[0] >= 0x80) && !markup.Digit(word[0]) {
				level := int(math.Round(4 * math.Log(float64(f.all)/float64(n))))
				levels[level] = append(levels[level], word)
			}
		}
	}
	var b strings.Builder
	for level := rare; level >= 0; level-- {
		words, ok := levels[level]
		if !ok {
			continue
		}
		slices.Sort(words)
		fmt.Fprintln(&b, strings.TrimSpace(fmt.Sprintf("%d: %s", level, strings.Join(words, " "))))
	}
	if err := os.WriteFile("commonwords.txt", []byte(b.String()), 0o644); err != nil {
		t.Fatal(err)
	}
}

// frequencies are a collection as the Words of a test.
type frequencies struct {
	with map[string]int
	all  int
}

func (f *frequencies) add(body string) {
	if f.with == nil {
		f.with = map[string]int{}
	}
	f.all++
	var d Digest
	d.count(body)
	for i := range d.words.terms {
		f.with[string(d.words.word(&d.words.terms[i]))]++
	}
}

func (f *frequencies) Rarity(word string) float64 {
	return math.Log(float64(f.all) / float64(max(f.with[word], 1)))
}

func TestCommonWordsWeighLess(t *testing.T) {
	for _, c := range []struct{ common, rare string }{{"information", "lighthouse"}, {"the", "information"}, {"通过", "灯塔"}} {
		if a, b := common().rarity([]byte(c.common)), common().rarity([]byte(c.rare)); a >= b {
			t.Errorf("IDF of %s is %.2f and of %s %.2f, want less", c.common, a, c.rare, b)
		}
	}
}

func TestKeywordsAreWeighedByTheCollection(t *testing.T) {
	bodies := []string{
		"The lighthouse keeper rowed out. The lighthouse keeper came home. The lamp broke.",
		"The lighthouse stands on a rock, and the lighthouse was painted.",
		"A lighthouse of iron, the last lighthouse of its kind.",
		"The lighthouse was sold.",
	}
	var all frequencies
	for _, b := range bodies {
		all.add(b)
	}
	var d Digest
	keys := d.Keywords(bodies[0], &all)
	if keys[0].Word != "keeper" || slices.ContainsFunc(keys, func(k Keyword) bool { return k.Word == "lighthouse" }) {
		t.Errorf("keywords are %v, want keeper first and not lighthouse, which all pages have", keys)
	}
	if !slices.IsSortedFunc(keys, func(a, b Keyword) int { return cmp.Compare(b.Weight, a.Weight) }) {
		t.Errorf("keywords %v are not in the order of their weights", keys)
	}
	if want := math.Round(1000*2*math.Log(4)*6/7) / 1000; keys[0].Weight != want {
		t.Errorf("weight of keeper is %v, want 2 times ln 4, damped for a word of 6 letters: %v", keys[0].Weight, want)
	}
}

func TestChineseKeywordsAreWeighedByTheCollection(t *testing.T) {
	const body = "气候变化影响粮食安全。粮食安全需要重视。气候变化的后果严重。"
	var all frequencies
	for range 9 {
		all.add("气候变化。")
	}
	all.add(body)
	var d Digest
	keys := d.Keywords(body, &all)
	if len(keys) == 0 || keys[0].Word != "粮食安全" {
		t.Errorf("keywords are %v, want 粮食安全 before what all pages have", keys)
	}
}

// Of 生产环境 and 打包工具 the second words stand in other places too: what comes before
// them ends where they start.
func TestAChineseKeywordEndsWhereTheNextWordStarts(t *testing.T) {
	const body = "生产环境用打包工具。生产环境要快。打包工具很多。开发环境慢。测试环境少。环境不同，工具不同，好工具难找。"
	var d Digest
	var words []string
	for _, k := range d.Keywords(body, nil) {
		words = append(words, k.Word)
	}
	for _, want := range []string{"生产", "环境", "打包", "工具"} {
		if !slices.Contains(words, want) {
			t.Errorf("keywords are %q, want %q among them", words, want)
		}
	}
}
