package markup_test

import (
	"fmt"

	"gatecrawl.example/gatecrawl/purify/markup"
)

func ExampleLexer() {
	l := markup.NewLexer([]byte(`<P class=lead>Bees <b>in</b> winter</p>`), false)
	for {
		switch l.Next() {
		case markup.TokenStart:
			class, _ := l.Attr("class")
			fmt.Printf("start %s %q\n", l.Name, class)
		case markup.TokenText:
			fmt.Printf("text %q\n", l.Text)
		case markup.TokenClose:
			fmt.Printf("end %s\n", l.Name)
		case markup.TokenEnd:
			return
		}
	}
	// Output:
	// start p "lead"
	// text "Bees "
	// start b ""
	// text "in"
	// end b
	// text " winter"
	// end p
}
