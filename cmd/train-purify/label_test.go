package main

import (
	"strings"
	"testing"

	"gatecrawl.example/gatecrawl/purify/truth"
)

func TestBlocksOfTheKnownBodyAreLabelled(t *testing.T) {
	const (
		first  = "The ferry left the harbour at six with forty people on board."
		second = "It was found by a fishing boat two days later, drifting and empty."
		third  = "Nobody has explained the three missing chairs."
	)
	for _, c := range []struct {
		name   string
		blocks []string
		body   string
		want   string // + for a block of the body, - for one that is not
	}{
		{"in order", []string{"Home", first, second, "Read more about ferries"}, first + "\n" + second, "-++-"},
		{"two blocks on one line of the body", []string{first, second}, first + " " + second, "++"},
		{"one block on two lines of the body", []string{first + " " + second, third}, first + "\n" + second, "+-"},
		{"out of order", []string{second, "Menu", first}, first + "\n" + second, "+-+"},
		{"a headline in a menu too", []string{third, "Sport", first, third, second}, first + "\n" + third + "\n" + second, "--+++"},
		{"a short line", []string{"Harbour", first, "Chairs", second}, first + "\nChairs\n" + second, "-+++"},
		{"a short line that is only part of one", []string{"six", first}, first, "-+"},
		{"mostly of the body", []string{first + " Share this"}, first, "+"},
		{"mostly not", []string{"Share this with everyone whom you know and come back soon, the ferry left."}, first, "-"},
		{"Chinese", []string{"首页", "近日研究人员发现网页去除模板之后再比较"}, "近日，研究人员发现，网页去除模板之后再比较。", "-+"},
		{"a heading whose words come again", []string{"Why ferries sink at night", "There are three reasons why ferries sink at night in the north.", third}, "Why ferries sink at night\nThere are three reasons why ferries sink at night in the north.", "++-"},
		{"a short heading on the line of its text", []string{"Menu", first, "Chairs", "Share", third}, first + " Chairs " + third, "-++-+"},
		{"a short block before the body's first", []string{"Six", "Menu", first}, "Six " + first, "+-+"},
		{"a short block far from its words", []string{first, "Boat", third}, first + "\n" + second + "\n" + third, "+-+"},
		{"no body", []string{first}, "", "-"},
		{"an empty block", []string{"·", first}, first, "-+"},
	} {
		t.Run(c.name, func(t *testing.T) {
			blocks := make([][]string, len(c.blocks))
			for i, text := range c.blocks {
				blocks[i] = truth.Words(text)
			}
			var got strings.Builder
			for _, share := range label(blocks, c.body) {
				if share >= 0.5 {
					got.WriteByte('+')
				} else {
					got.WriteByte('-')
				}
			}
			if got.String() != c.want {
				t.Errorf("labels of %q are %s, want %s", c.blocks, &got, c.want)
			}
		})
	}
}

func TestAPageWeighsNoMoreThanItsBound(t *testing.T) {
	blocks := make([][]string, 3000)
	for i := range blocks {
		blocks[i] = []string{"one", "two", "three"}
	}
	var sum float32
	for _, w := range weights(blocks, 20) {
		sum += w
	}
	if sum > maxPage*1.001 {
		t.Errorf("a page of 3,000 blocks around 20 tokens of body weighs %v, want at most %v", sum, maxPage)
	}
}
