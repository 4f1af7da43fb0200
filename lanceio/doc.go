// Package lanceio reads Lance tables: Open a table at one of its versions, scan it with columns as leaf paths and with
// filters, or take single rows. A Go program can use it without the server.
//
//	t, err := lanceio.Open(ctx, "/data/sst.lance")
//	s, err := t.NewScan(lanceio.Columns(expr.FieldPath{"sst", "attrs", "units"}),
//		lanceio.FilterExpr(expr.Path("lat", "values").Between(expr.Lit(17.5), expr.Lit(25.4))))
//	r, err := s.Reader(ctx, mem)
//	for r.Next() { ... r.RecordBatch() ... }
//
// How a scan reads a fragment: first the stats that the stats filter needs, then the columns of the exact filter at the
// rows left, then the projected columns at the rows that pass. Each step reads windows of rows, so that memory is bounded
// by windows and not by the table.
//
// # What is read
//
// Files of versions 2.0, 2.1, 2.2 and 2.3, mixed in a table, and of the legacy format. Below is, for each encoding and file
// version, of which columns the random round trip in integration/roundtrip has read pages and compared their values with
// what pylance reads; its test keeps the table complete. The names are those of Inspect; what a package of encoding reads
// beyond that is in its registry. The letters:
//
//	B booleans   I integers   F floats       D decimals   T dates, times, durations   N nulls   J JSON
//	S text       Y binary     X fixed binary V fixed-size lists (vectors)   K dictionaries
//	P packed structs   O blobs   L structs, lists and maps, which have pages of their own in 2.0 only
//
//	encoding                                       |2.0           |2.1           |2.2           |2.3
//	constant                                       |              |              |N             |
package lanceio
