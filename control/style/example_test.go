package style_test

import (
	"fmt"

	"gatecrawl.example/gatecrawl/control/style"
)

func Example() {
	fmt.Println(style.Number(1234567), style.Size(int64(1_500_000)), style.Plain("a\u202eb"))
	// Output: 1,234,567 1.5 MB a�b
}
