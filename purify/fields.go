package purify

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
)

// Fields are the values that the selectors of a Reader have found on a page, in the order of the
// selectors. JSON encodes them as an object: a field that was asked for as a list is a list, any
// other a string.
type Fields []Field

// A Field is what a selector found on a page.
type Field struct {
	Name   string
	List   bool
	Values []string // one value, or at least one for a list
	url    bool     // the values are URLs as the page writes them
}

// Get returns the values of a field, nil if the page has none.
func (f Fields) Get(name string) []string {
	for i := range f {
		if f[i].Name == name {
			return f[i].Values
		}
	}
	return nil
}

// Resolve replaces each URL by what resolve returns for it, unless that is "".
func (f Fields) Resolve(resolve func(ref string) string) {
	for i := range f {
		if !f[i].url {
			continue
		}
		for j, ref := range f[i].Values {
			if to := resolve(ref); to != "" {
				f[i].Values[j] = to
			}
		}
	}
}

// MarshalJSON encodes the fields as an object.
func (f Fields) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte('{')
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	for i := range f {
		if i > 0 {
			b.WriteByte(',')
		}
		if err := enc.Encode(f[i].Name); err != nil {
			return nil, err
		}
		b.WriteByte(':')
		var value any = f[i].Values
		if !f[i].List && len(f[i].Values) > 0 {
			value = f[i].Values[0]
		}
		if err := enc.Encode(value); err != nil {
			return nil, err
		}
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// UnmarshalJSON reads what MarshalJSON writes.
func (f *Fields) UnmarshalJSON(data []byte) error {
	dec := json.NewDecoder(bytes.NewReader(data))
	if open, err := dec.Token(); err != nil || open != json.Delim('{') {
		return errors.Join(errors.New("fields: want an object"), err)
	}
	*f = nil
	for dec.More() {
		name, err := dec.Token()
		if err != nil {
			return fmt.Errorf("fields: %w", err)
		}
		var value json.RawMessage
		if err := dec.Decode(&value); err != nil {
			return fmt.Errorf("field %s: %w", name, err)
		}
		one := Field{Name: name.(string), Values: make([]string, 1)} // keys of JSON are strings
		if one.List = value[0] == '['; one.List {
			err = json.Unmarshal(value, &one.Values)
		} else {
			err = json.Unmarshal(value, &one.Values[0])
		}
		if err != nil {
			return fmt.Errorf("field %s: %w", name, err)
		}
		*f = append(*f, one)
	}
	return nil
}
