package postscript_test

import (
	"fmt"
	"log"

	"gatecrawl.example/gatecrawl/purify/document/postscript"
)

// The text that a program shows, and where.
func ExampleRun() {
	program := []byte("%!PS\n/Courier findfont 10 scalefont setfont 72 700 moveto (The harbour) show showpage")
	err := postscript.Run(program, func(s postscript.Shown) {
		fmt.Printf("%s at %.0f, %.0f, up to %.0f\n", s.Text, s.X, s.Y, s.EndX)
	}, func() { fmt.Println("the end of a page") })
	if err != nil {
		log.Fatal(err)
	}
	// Output:
	// The harbour at 72, 700, up to 138
	// the end of a page
}
