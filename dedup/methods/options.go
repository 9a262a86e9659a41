package methods

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// An Option is a constant of a method that a user may set.
type Option struct {
	Name  string `json:"name"`
	Value string `json:"value"` // what it is
	About string `json:"about"` // what it means, and its bounds
}

// Options returns the constants of a method that Parse takes.
func Options(m Method) []Option {
	var list []Option
	v := reflect.ValueOf(m)
	eachOption(v.Type(), nil, func(f reflect.StructField, at []int) {
		about := f.Tag.Get("about")
		if r := f.Tag.Get("range"); r != "" {
			low, high, _ := strings.Cut(r, ",")
			about += ", " + low + " to " + high
		}
		list = append(list, Option{f.Tag.Get("option"), fmt.Sprint(v.FieldByIndex(at)), about})
	})
	return list
}

// Spec returns what Parse makes the method of: its name with all of its options.
func Spec(m Method) string {
	var set []string
	for _, o := range Options(m) {
		set = append(set, o.Name+"="+o.Value)
	}
	if len(set) == 0 {
		return m.Name()
	}
	return m.Name() + ":" + strings.Join(set, ",")
}

// eachOption calls visit with each field that has an option, those of embedded structs too.
func eachOption(t reflect.Type, above []int, visit func(f reflect.StructField, at []int)) {
	for i := range t.NumField() {
		f := t.Field(i)
		at := append(slices.Clone(above), i)
		switch {
		case f.Anonymous:
			eachOption(f.Type, at, visit)
		case f.Tag.Get("option") != "":
			visit(f, at)
		}
	}
}

// Parse returns the method that NAME or NAME:OPTION=VALUE,... asks for. Methods that
// estimate a resemblance have the given one for a threshold where no other is set.
func Parse(text string, resemblance float64) (Method, error) {
	list, err := Named(text, resemblance)
	if err != nil {
		return nil, err
	}
	if len(list) != 1 {
		return nil, fmt.Errorf("%q are %d methods: want one", text, len(list))
	}
	return list[0], nil
}

// Named returns the methods of a list such as "gate,docview:n=10,delta=.2,simhash", or all
// of them for "all", in the order of All, and of one name in the order of the list.
func Named(list string, resemblance float64) ([]Method, error) {
	all := All(resemblance)
	if strings.TrimSpace(list) == "all" {
		return all, nil
	}
	var some []Method
	for _, asked := range askedFor(list) {
		i := slices.IndexFunc(all, func(m Method) bool { return m.Name() == asked.name })
		if i < 0 {
			return nil, &UnknownError{asked.name, names(all)}
		}
		m, err := with(all[i], asked.options)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", asked.name, err)
		}
		if !slices.Contains(some, m) {
			some = append(some, m)
		}
	}
	place := func(m Method) int {
		return slices.IndexFunc(all, func(other Method) bool { return other.Name() == m.Name() })
	}
	slices.SortStableFunc(some, func(a, b Method) int { return place(a) - place(b) })
	return some, nil
}

// An UnknownError says that no method has a name.
type UnknownError struct {
	Name string
	All  []string // the names that there are
}

func (e *UnknownError) Error() string {
	return fmt.Sprintf("no such method: %q; there are %s", e.Name, strings.Join(e.All, ", "))
}

// An asked method is a name and options such as n=10.
type asked struct {
	name    string
	options []string
}

// askedFor cuts a list at its commas. What has a = in it, and no name before it, is an
// option of the method before.
func askedFor(list string) []asked {
	var all []asked
	for part := range strings.SplitSeq(list, ",") {
		part = strings.TrimSpace(part)
		name, option, named := strings.Cut(part, ":")
		switch {
		case named:
			all = append(all, asked{strings.TrimSpace(name), []string{option}})
		case strings.Contains(part, "=") && len(all) > 0:
			last := &all[len(all)-1]
			last.options = append(last.options, part)
		default:
			all = append(all, asked{part, nil})
		}
	}
	return all
}

// with returns a method with options set.
func with(m Method, options []string) (Method, error) {
	v := reflect.New(reflect.TypeOf(m)).Elem()
	v.Set(reflect.ValueOf(m))
	given := make(map[string]bool, len(options))
	for _, o := range options {
		name, value, ok := strings.Cut(o, "=")
		name, value = strings.TrimSpace(name), strings.TrimSpace(value)
		if !ok {
			return nil, fmt.Errorf("%q: want option=value", o)
		}
		if given[name] {
			return nil, fmt.Errorf("%s is given twice", name)
		}
		given[name] = true
		if err := setOption(v, name, value); err != nil {
			return nil, err
		}
	}
	made := v.Interface().(Method)
	if c, ok := made.(interface{ check() error }); ok {
		if err := c.check(); err != nil {
			return nil, err
		}
	}
	return made, nil
}

// setOption sets one option of a method.
func setOption(v reflect.Value, name, value string) error {
	var known []string
	var err error
	found := false
	eachOption(v.Type(), nil, func(f reflect.StructField, at []int) {
		known = append(known, f.Tag.Get("option"))
		if f.Tag.Get("option") != name {
			return
		}
		found = true
		if err = setField(v.FieldByIndex(at), f.Tag, value); err != nil {
			err = fmt.Errorf("%s=%s: %w", name, value, err)
		}
	})
	switch {
	case found:
		return err
	case len(known) == 0:
		return fmt.Errorf("no option %q: it has none", name)
	}
	return fmt.Errorf("no option %q; there are %s", name, strings.Join(known, ", "))
}

// setField sets a field to a value within its bounds.
func setField(f reflect.Value, tag reflect.StructTag, value string) error {
	if f.Kind() == reflect.String {
		if names := strings.Split(tag.Get("oneof"), ","); !slices.Contains(names, value) {
			return fmt.Errorf("want %s", strings.Join(names, " or "))
		}
		f.SetString(value)
		return nil
	}
	low, high, _ := strings.Cut(tag.Get("range"), ",")
	least, _ := strconv.ParseFloat(low, 64) // the tags are ours; a test reads them all
	most, _ := strconv.ParseFloat(high, 64)
	x, err := strconv.ParseFloat(value, 64)
	if err == nil && f.Kind() == reflect.Int && x != math.Trunc(x) {
		return fmt.Errorf("want a whole number, %s to %s", low, high)
	}
	if err != nil || !(x >= least && x <= most) {
		return fmt.Errorf("want a number, %s to %s", low, high)
	}
	if f.Kind() == reflect.Int {
		f.SetInt(int64(x))
	} else {
		f.SetFloat(x)
	}
	return nil
}

func names(ms []Method) []string {
	list := make([]string, len(ms))
	for i, m := range ms {
		list[i] = m.Name()
	}
	return list
}
