package postscript

import (
	"errors"
	"fmt"
	"strings"
	"testing"
)

// run returns what a program shows, a piece a line, "|" at the end of a page.
func run(program string) (string, error) {
	var b strings.Builder
	err := Run([]byte(program), func(s Shown) { fmt.Fprintf(&b, "%s\n", s.Text) }, func() { b.WriteString("|\n") })
	return b.String(), err
}

func TestThePlaceOfTextIsWhatTheProgramComputes(t *testing.T) {
	const program = `%!PS-Adobe-3.0
/Times-Roman findfont 12 scalefont setfont
/line { 72 y moveto show /y y 14 sub def } bind def
/y 700 def
(The harbour) line
2 dict begin /n 0 def 1 1 3 { n add /n exch def } for n 6 eq { (six) } { (not six) } ifelse end line
gsave 2 2 scale 10 10 moveto (large) show grestore
[ (a) (b) ] { line } forall
showpage`
	var got []Shown
	pages := 0
	if err := Run([]byte(program), func(s Shown) { got = append(got, s) }, func() { pages++ }); err != nil {
		t.Fatal(err)
	}
	want := []Shown{{"The harbour", 72, 700, 131.3, 700, 12}, {"six", 72, 686, 86, 686, 12}, {"large", 20, 20, 68, 20, 24}, {"a", 72, 672, 77.3, 672, 12}, {"b", 72, 658, 78, 658, 12}}
	if len(got) != len(want) || pages != 1 {
		t.Fatalf("%d pieces on %d pages: %+v, want %+v on 1", len(got), pages, got, want)
	}
	near := func(a, b float64) bool { return a-b < .5 && b-a < .5 }
	for i, g := range got {
		w := want[i]
		if g.Text != w.Text || !near(g.X, w.X) || !near(g.Y, w.Y) || !near(g.EndX, w.EndX) || !near(g.Height, w.Height) {
			t.Errorf("piece %d is %+v, want %+v", i, g, w)
		}
	}
}

func TestTheLanguage(t *testing.T) {
	for in, want := range map[string]string{
		`1 2 exch sub`:                                     "1",
		`7 2 idiv 7 2 mod 7 2 div`:                         "3 1 3.5",
		`-2.5 abs 2.5 round -2.5 truncate`:                 "2.5 3 -2",
		`1 2 3 3 1 roll`:                                   "3 1 2",
		`1 2 3 2 index`:                                    "1 2 3 1",
		`[1 2 3] aload pop`:                                "1 2 3",
		`1 2 3 2 array astore aload pop`:                   "1 2 3",
		`16#FF 2#101 1e2`:                                  "255 5 100",
		`(abc) (b) search pop length exch pop exch length`: "1 1",
		`<414243> length <~87cUR~> length`:                 "3 4",
		`/a 5 def /b { a 1 add } def b //a`:                "6 5",
		`{ 1 stop 2 } stopped`:                             "1 true",
		`{ nothing } stopped`:                              "true",
		`0 { dup 5 ge { exit } if 1 add } loop`:            "5",
		`(12 (a) b) token pop exch length`:                 "12 5",
		`<< /x 3 >> /x get`:                                "3",
		`5 dict dup /k 9 put /k known`:                     "true",
		`(5.5) cvr (7) cvi 12 16 8 string cvrs length`:     "5.5 7 1",
		`true false or 6 3 and 1 3 bitshift`:               "true 2 8",
		`(abcdef) 2 3 getinterval length`:                  "3",
		`2 3 matrix translate 5 7 3 -1 roll transform`:     "7 10",
		`2 3 scale 1 1 transform 6 9 itransform`:           "2 3 3 3",
		`/f { 4 } def 1 1 3 { pop f } for`:                 "4 4 4",
		`{1 2} length`:                                     "2",
		`(a\(b\)\101\n) length`:                            "6",
		`% a comment
 1`: "1",
	} {
		got, err := run(`/Courier findfont 1 scalefont setfont 0 0 moveto /out { count { count -1 roll 20 string cvs show } repeat } def ` + in + " out")
		if got := strings.Join(strings.Fields(got), " "); got != want || err != nil {
			t.Errorf("%s leaves %s, %v, want %s", in, got, err, want)
		}
	}
}

func TestShowKnowsWhereSpacesAre(t *testing.T) {
	const head = "/F { /Helvetica findfont 10 scalefont setfont } def F 0 0 moveto "
	for in, want := range map[string]string{
		`(words are in it) show`:                          "words are in it",
		`3 0 32 (a b c) widthshow`:                        "a b c",
		`.1 0 (close) ashow`:                              "close",
		`(AB) [20 5] xshow`:                               "A\nB",
		`/eacute glyphshow`:                               "é",
		`{ pop pop } (kern) kshow`:                        "k\ne\nr\nn",
		`/Symbol findfont 9 scalefont setfont (ab1) show`: "αβ1",
		`/E 256 array def 0 1 255 { E exch /.notdef put } for E 65 /fi put E 66 /uni4E2D put
		 /Helvetica findfont dup length dict begin { 1 index /FID ne { def } { pop pop } ifelse } forall /Encoding E def currentdict end
		 /New exch definefont 10 scalefont setfont (AB) show`: "fi中",
	} {
		got, err := run(head + in)
		if strings.TrimSpace(got) != want || err != nil {
			t.Errorf("%s shows %q, %v, want %q", in, got, err, want)
		}
	}
}

// TestAFontOfBitmapsHasItsOwnWidths has what dvips writes: a procedure that draws a character says
// how wide it is, and words are moved apart by hand.
func TestAFontOfBitmapsHasItsOwnWidths(t *testing.T) {
	const program = `%!PS
/D 8 dict def D begin /FontType 3 def /FontMatrix [1 0 0 1 0 0] def /FontBBox [0 0 0 0] def
/Encoding 256 array def 0 1 255 { Encoding exch dup 1 string dup 0 4 -1 roll put cvn put } for
/BuildChar { pop pop 6 0 0 0 6 7 setcachedevice nothing that draws } def end
/Fa D definefont pop
/Fa findfont setfont 10 100 moveto (of) show 4 0 rmoveto (\014rst) show`
	var got []Shown
	if err := Run([]byte(program), func(s Shown) { got = append(got, s) }, func() {}); err != nil {
		t.Fatal(err)
	}
	if len(got) != 2 || got[0].Text != "of" || got[0].EndX != 22 || got[1].Text != "first" || got[1].X != 26 || got[1].Height != 7 {
		t.Errorf("shown is %+v", got)
	}
}

// TestAnEmbeddedFontIsRead has a font program that is enciphered, whose glyph A is 700 wide.
func TestAnEmbeddedFontIsRead(t *testing.T) {
	char := encipher([]byte("\x8b\xf9\x50\x0d\x0e"), 4330)
	private := "dup /Private 3 dict dup begin /lenIV 4 def end put dup /CharStrings 2 dict dup begin /A " + fmt.Sprint(len(char)) +
		" RD " + string(char) + " def end put dup /FontName get exch definefont pop mark currentfile closefile\n"
	var hex strings.Builder
	for i, c := range encipher([]byte(private), 55665) {
		if i%32 == 31 {
			hex.WriteByte('\n')
		}
		fmt.Fprintf(&hex, "%02x", c)
	}
	program := "%!PS\n/RD { string currentfile exch readstring pop } def\n" +
		"8 dict begin /FontName /Own def /FontType 1 def /FontMatrix [.001 0 0 .001 0 0] def /Encoding StandardEncoding def currentdict end\ncurrentfile eexec\n" +
		hex.String() + strings.Repeat("\n"+strings.Repeat("0", 64), 8) + "\ncleartomark\n/Own findfont 100 scalefont setfont 5 5 moveto (A) show"
	var got []Shown
	if err := Run([]byte(program), func(s Shown) { got = append(got, s) }, func() {}); err != nil {
		t.Fatal(err)
	}
	if len(got) != 1 || got[0].Text != "A" || got[0].EndX != 75 {
		t.Errorf("shown is %+v, want an A from 5 to 75", got)
	}
}

func encipher(plain []byte, r uint16) []byte {
	out := make([]byte, 0, len(plain)+4)
	for _, p := range append([]byte("zzzz"), plain...) {
		c := p ^ byte(r>>8)
		r = (uint16(c)+r)*52845 + 22719
		out = append(out, c)
	}
	return out
}

func TestPicturesAreReadOver(t *testing.T) {
	got, err := run("/Courier findfont 9 scalefont setfont 0 0 moveto\n/s 2 string def 8 2 8 [8 0 0 2 0 0] { currentfile s readhexstring pop } image\n" +
		strings.Repeat("00ff", 8) + "\n(behind) show\n" +
		"<< /ImageType 1 /Width 4 /Height 1 /BitsPerComponent 8 /Decode [0 1] /ImageMatrix [1 0 0 1 0 0] /DataSource currentfile /ASCII85Decode filter >> image\n87cUR~>\n(and behind) show")
	if got != "behind\nand behind\n" || err != nil {
		t.Errorf("shown is %q, %v", got, err)
	}
}

func TestAProgramEnds(t *testing.T) {
	for name, program := range map[string]string{
		"a loop":             "{ } loop",
		"a procedure's ring": "/a { a } def a /b /b cvx def b { a } stopped { b } stopped",
		"a growing string":   "/s 1000000 string def { 1000000 string pop } loop",
		"a deep nest":        strings.Repeat("{", 100_000),
		"a deep array":       strings.Repeat("[", 200_000),
		"an open string":     "(" + strings.Repeat("(", 100_000),
		"a stack":            "{ 1 } loop",
		"a copy":             "1 2 3 { count copy } loop",
		"saves":              "{ gsave } loop",
		"a huge number":      "(abc) 1e300 cvi 1e300 cvi getinterval 1e300 cvi index 1e300 cvi array 1e300 cvi 1e300 cvi roll",
		"dictionaries":       "{ 1 dict begin } loop",
		"a huge array":       "2000000000 array { 65535 array pop } loop",
		"a huge picture":     "1e6 1e6 8 [1 0 0 1 0 0] { (x) } image",
		"a string that runs": "/s (s cvx exec) def s cvx exec",
		"a font of itself":   "/D << /FontType 3 /FontMatrix [1 0 0 1 0 0] /Encoding StandardEncoding /BuildChar { pop pop (x) show } >> def /F D definefont setfont 0 0 moveto (x) show",
	} {
		m := newMachine(func(Shown) {}, func() {})
		m.steps = maxSteps - 100_000
		if err := m.main([]byte("%!PS\n" + program)); err != nil && !errors.Is(err, endless) && !errors.Is(err, tooLarge) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func FuzzRun(f *testing.F) {
	f.Add([]byte("%!PS\n/Times-Roman findfont 12 scalefont setfont 72 700 moveto (words) show showpage"))
	f.Add([]byte("currentfile eexec 00112233445566778899"))
	f.Add([]byte("8 8 1 [1 0 0 1 0 0] { currentfile 1 string readhexstring pop } image ff << /a [1 2] >> { } forall"))
	f.Add([]byte("[1 0 0 1 0 0] concat 0 0 moveto (a) [1] xshow matrix currentmatrix invertmatrix"))
	f.Fuzz(func(t *testing.T, program []byte) {
		if len(program) > 4<<10 {
			return
		}
		m := newMachine(func(Shown) {}, func() {})
		m.steps = maxSteps - 20_000
		m.objects = maxObjects - 1<<16
		_ = m.main(program)
	})
}
