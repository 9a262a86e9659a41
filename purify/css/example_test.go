package css_test

import (
	"fmt"

	"golang.org/x/net/html"

	"gatecrawl.example/gatecrawl/purify/css"
)

// A reader of pages hands its tags and texts to a tree, and a field is read from that.
func Example() {
	tree := css.NewTree()
	table := tree.Start("table", []html.Attribute{{Key: "class", Val: "spec"}})
	tree.Open(table)
	for _, text := range []string{"250 g", "杭州"} {
		row := tree.Start("tr", nil)
		tree.Open(row)
		cell := tree.Start("td", nil)
		tree.Open(cell)
		tree.Text(text, 0)
		tree.Close(1) // of the elements that are open, the table stays so
	}

	field, err := css.ParseField("spec[]=table.spec > tbody > tr")
	if err != nil {
		fmt.Println(err)
		return
	}
	left := css.Budget(css.MaxPage)
	value, ok := field.Extract(tree.Document(), &left)
	fmt.Println(value.Texts, ok)
	// Output: [250 g 杭州] true
}
