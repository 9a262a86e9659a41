package dedup

import (
	"math/rand/v2"
	"strings"
	"testing"
)

// asMail writes words as lines of a mail, each behind some marks.
func asMail(words []string, marks string) string {
	var b strings.Builder
	for i, w := range words {
		if i%11 == 0 {
			b.WriteString("\n" + marks)
		}
		b.WriteString(" " + w)
	}
	return b.String()
}

// An answer that quotes the whole of a mail is another mail; the same one in two places is one, and
// so is a page of a manual whose next version has examples at a prompt.
func TestAnAnswerIsNoCopyOfWhatItQuotes(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 9))
	said := strings.Fields(text(r, 600))
	first, second := said[:len(said)/2], said[len(said)/2:]
	mail := func(host, body string) *Text {
		return &Text{Title: "The lifetime of a signal", Host: host, Body: body + "\n", Links: 7}
	}
	question := "Anna wrote:" + asMail(first, ">") + "\n" + asMail(second, "")
	answer := "Bertil wrote:" + asMail(first, "> >") + "\n>\n" + asMail(second, ">") + "\nThis holds for two of them, I think, and not for the third.\n"
	again := "Bertil wrote:" + asMail(first, ">>") + "\n>\n" + asMail(second, ">") + "\nThis holds for two of them, I think, and for the third.\n"
	manual := asMail(said, "")
	for _, c := range []struct {
		what string
		a, b *Text
		same bool
	}{
		{"an answer", mail("a.example", question), mail("a.example", answer), false},
		{"an answer that was kept first", mail("a.example", answer), mail("a.example", question), false},
		{"an answer of the same depth", mail("a.example", answer), mail("a.example", again), true},
		{"an archive that writes no marks", mail("a.example", strings.ReplaceAll(question, ">", "")), mail("b.example", question), true},
		{"a manual with more examples", mail("a.example", manual), mail("a.example", manual+"\n>>> open\n>>> close\n>>> list\n>>> exit now\n>>> sort the list"), true},
	} {
		if j, same := one(c.a, c.b); same != c.same || j < ruling().Resemblance {
			t.Errorf("%s: one %v, resemblance %.2f", c.what, same, j)
		}
	}
}
