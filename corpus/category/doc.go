// Package category tells to which category of its collection a page belongs, by its words
// (Yu and Xiong 2011 have the category of a page by classifying its body).
//
// Pages that declare a category, by a breadcrumb, a section or the folders of their URL, or
// that a user has labelled, are examples. A Model is a logistic regression for several classes
// on the words of their titles and bodies. It knows the categories of its examples and no
// others: it says how likely the likeliest is, and nothing of a page with few known words.
//
// Measure says how often a model is right about examples that it was not made from: those of
// other hosts, and other pages of the same hosts. The first is what a page of a new site may
// expect, and mostly the lower one, since sites name their categories each in its own way.
package category
