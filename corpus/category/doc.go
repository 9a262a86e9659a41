// Package category classifies pages by their words into the categories of their collection
// (Yu and Xiong 2011 classify the body of a page to get its category).
//
// The training examples are pages that declare a category, by a breadcrumb, a section or the
// folders of their URL, and pages that a user has labelled. A Model is a multinomial logistic
// regression on the words of their titles and bodies. It knows only the categories of its
// examples. It returns the likeliest one with its probability, and nothing for a page with
// few known words, or one that is less like the examples of that category than these are like each other.
//
// Measure cross-validates a model twice: on hosts left out of the training, and on pages left
// out of it. The first is what to expect for a new site. It is usually lower, because each
// site names its categories in its own way. MeasureOthers leaves out whole categories, and counts how many
// of their pages get another one.
package category
