package memtable

import (
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/lanceflight/flightsrv/errs"
)

// Batch makes a batch of rows: string, int64, bool, time.Time (for microseconds), or nil by column; values that a row
// lacks at its end are null. The caller releases the batch.
func Batch(schema *arrow.Schema, rows [][]any, mem memory.Allocator) (arrow.RecordBatch, error) {
	b := array.NewRecordBuilder(mem, schema)
	defer b.Release()
	for _, row := range rows {
		for i, f := range b.Fields() {
			var v any
			if i < len(row) {
				v = row[i]
			}
			if err := add(f, v); err != nil {
				return nil, err
			}
		}
	}
	return b.NewRecordBatch(), nil
}

func add(b array.Builder, v any) error {
	switch v := v.(type) {
	case nil:
		b.AppendNull()
		return nil
	case string:
		if b, ok := b.(*array.StringBuilder); ok {
			b.Append(v)
			return nil
		}
	case int64:
		if b, ok := b.(*array.Int64Builder); ok {
			b.Append(v)
			return nil
		}
	case bool:
		if b, ok := b.(*array.BooleanBuilder); ok {
			b.Append(v)
			return nil
		}
	case time.Time:
		if b, ok := b.(*array.TimestampBuilder); ok {
			b.Append(arrow.Timestamp(v.UnixMicro()))
			return nil
		}
	}
	return errs.New(errs.ErrInternal, "a value of %T in a column of %s", v, b.Type())
}
