package export

import (
	"fmt"
	"reflect"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress/zstd"
)

// Readers of Parquet hold a row group in memory.
const (
	groupRows  = 20_000
	groupBytes = 64 << 20 // before compression
)

// columns writes Parquet: one row group at a time is in memory.
type columns struct {
	w       *parquet.GenericWriter[any]
	fields  []field
	row     reflect.Value // of the struct for one row
	rows    int           // in the row group
	pending int64         // bytes in the row group
}

func newParquet(w *counter, fields []field, software string) *columns {
	list := make([]reflect.StructField, len(fields))
	for i := range fields {
		f := &fields[i]
		options := "optional"
		if f.kind == kindList {
			options = "list"
		}
		if f.kind == kindTime {
			options += ",timestamp(microsecond:utc)"
		}
		list[i] = reflect.StructField{
			Name: fmt.Sprintf("F%d", i), Type: columnTypes[f.kind],
			Tag: reflect.StructTag(fmt.Sprintf(`parquet:"%s,%s"`, f.name, options)),
		}
	}
	row := reflect.New(reflect.StructOf(list))
	return &columns{
		w: parquet.NewGenericWriter[any](w, parquet.SchemaOf(row.Interface()), parquet.Compression(&zstd.Codec{Level: zstd.SpeedFastest}),
			parquet.CreatedBy("gatecrawl", software, ""), parquet.PageBufferSize(256<<10)),
		fields: fields, row: row,
	}
}

// columnTypes are the types of columns by kind; a nil pointer is null, and so is "".
var columnTypes = [...]reflect.Type{
	kindText:  reflect.TypeFor[string](),
	kindInt:   reflect.TypeFor[*int64](),
	kindFloat: reflect.TypeFor[*float64](),
	kindTime:  reflect.TypeFor[*int64](),
	kindList:  reflect.TypeFor[[]string](),
	kindBool:  reflect.TypeFor[*bool](),
}

func (c *columns) write(r *row) (int64, error) {
	s := c.row.Elem()
	for i := range c.fields {
		f := &c.fields[i]
		v, err := f.of(r)
		if err != nil {
			return 0, err
		}
		to := s.Field(i)
		to.SetZero()
		c.pending += 8
		if v.null {
			continue
		}
		switch f.kind {
		case kindText:
			to.SetString(v.text)
			c.pending += int64(len(v.text))
		case kindInt:
			to.Set(reflect.ValueOf(&v.int))
		case kindFloat:
			to.Set(reflect.ValueOf(&v.float))
		case kindTime:
			at := v.time.UnixMicro()
			to.Set(reflect.ValueOf(&at))
		case kindList:
			to.Set(reflect.ValueOf(v.list))
			for _, s := range v.list {
				c.pending += int64(len(s))
			}
		case kindBool:
			to.Set(reflect.ValueOf(&v.yes))
		}
	}
	if _, err := c.w.Write([]any{c.row.Interface()}); err != nil {
		return 0, err
	}
	if c.rows++; c.rows < groupRows && c.pending < groupBytes {
		return 1, nil
	}
	c.rows, c.pending = 0, 0
	return 1, c.w.Flush()
}

// waiting returns how many bytes are not written yet.
func (c *columns) waiting() int64 { return c.pending }

func (c *columns) close() error { return c.w.Close() }
