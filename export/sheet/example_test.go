package sheet_test

import (
	"fmt"

	"gatecrawl.example/gatecrawl/export/sheet"
)

func ExampleText() {
	fmt.Println(sheet.Text("=SUM(A1)"), sheet.Text("bees"))
	// Output: '=SUM(A1) bees
}
