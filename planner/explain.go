package planner

import (
	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/lanceflight/flightsrv/scan"
)

// ExplainSchema is the schema of every EXPLAIN: one utf8 column.
func ExplainSchema() *arrow.Schema {
	return arrow.NewSchema([]arrow.Field{{Name: "plan", Type: arrow.BinaryTypes.String}}, nil)
}

// ExplainResult gives the answer of EXPLAIN: the text form one row a line, the JSON form one row with one JSON text.
// metrics are those of Plan.Scans, one each and in order, after the query ran; nil without ANALYZE. The caller
// releases the batch.
func ExplainResult(s *Statement, metrics []scan.Metrics, mem memory.Allocator) (arrow.RecordBatch, error) {
	rows, err := explainRows(s, metrics)
	if err != nil {
		return nil, err
	}
	b := array.NewStringBuilder(mem)
	defer b.Release()
	b.AppendValues(rows, nil)
	col := b.NewArray()
	defer col.Release()
	return array.NewRecordBatch(ExplainSchema(), []arrow.Array{col}, int64(len(rows))), nil
}
