package words_test

import (
	"fmt"

	"gatecrawl.example/gatecrawl/purify/words"
)

func Example() {
	const text = "The lighthouse was built in 1820. A keeper lived in the lighthouse with his family. When the lighthouse lamp broke, the keeper rowed to the harbour."
	var d words.Digest
	keys := d.Keywords(text, nil)
	fmt.Println(keys[0].Word, keys[1].Word)
	fmt.Println(words.Language("", text))
	// Output:
	// lighthouse keeper
	// en
}
