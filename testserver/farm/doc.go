// Package farm makes families of small sites that are copies of each other.
//
// A family is an original and its Variants: whole copies, copies of a part, sites that moved to
// other paths, were renamed, redirect, or are out of date, and sites that only look like copies,
// such as translations and other versions. A Relation says how two sites of a family are related,
// and which paths correspond. Mirror detection is tested and tuned on them.
package farm
