// Package skin makes the markup around a text, in the styles of different site generators.
//
// A layout is the skeleton of a template; there are some of different ages and styles. A Skin is a
// layout with the class names, the menu and the footer of one site. Wrap puts the main content of a
// real page into a skin, which gives two pages with one text in two layouts.
package skin
