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
// what pylance reads; its test keeps the table complete. The names are those of Inspect; what more is read is in the
// registry of lanceio/encoding. The letters:
//
//	B booleans   I integers   F floats       D decimals   T dates, times, durations   N nulls   J JSON
//	S text       Y binary     X fixed binary V fixed-size lists (vectors)   K dictionaries
//	P packed structs   O blobs   L structs, lists and maps, which have pages of their own in 2.0 only
//
//	encoding                                                              |2.0           |2.1           |2.2           |2.3
//	all-null                                                              |BDFINSTVXY    |              |              |
//	binary                                                                |JSY           |              |              |
//	binary(lz4(flat))                                                     |JSY           |              |              |
//	binary(none(flat))                                                    |JSY           |              |              |
//	binary(zstd(flat))                                                    |JSY           |              |              |
//	blob(mini-block(packed-struct))                                       |              |O             |              |
//	constant                                                              |              |BDFIJKLNPSTVXY |BDFIJKLNOPSTVXY |BDFITX
//	dictionary(all-null)                                                  |K             |              |              |
//	dictionary(binary)                                                    |KS            |              |              |
//	dictionary(flat)                                                      |K             |              |              |
//	dictionary(nullable(flat))                                            |K             |              |              |
//	fixed-size-list(all-null)                                             |V             |              |              |
//	fixed-size-list(fixed-size-list(flat))                                |V             |              |              |
//	fixed-size-list(flat)                                                 |V             |              |              |
//	fixed-size-list(nullable(fixed-size-list(flat)))                      |V             |              |              |
//	fixed-size-list(nullable(flat))                                       |V             |              |              |
//	flat                                                                  |BDFITX        |              |              |
//	fsst                                                                  |SY            |              |              |
//	full-zip(fixed-size-list(constant))                                   |              |V             |V             |V
//	full-zip(fixed-size-list(fixed-size-list(constant)))                  |              |V             |V             |V
//	full-zip(fixed-size-list(fixed-size-list(fixed-size-list(flat))))     |              |V             |V             |
//	full-zip(fixed-size-list(fixed-size-list(flat)))                      |              |V             |V             |V
//	full-zip(fixed-size-list(flat))                                       |              |V             |V             |V
//	full-zip(flat)                                                        |              |BDFITX        |BDFITX        |BDFITX
//	full-zip(fsst)                                                        |              |SY            |SY            |SY
//	full-zip(packed-struct(members))                                      |              |              |OP            |OP
//	full-zip(packed-struct)                                               |              |              |              |P
//	full-zip(variable)                                                    |              |JSY           |JSY           |JSY
//	full-zip(zstd(variable))                                              |              |SY            |SY            |SY
//	list(flat)                                                            |L             |              |              |
//	mini-block(bitpack)                                                   |              |FITX          |FITX          |FITX
//	mini-block(byte-stream-split)                                         |              |FITX          |FITX          |FITX
//	mini-block(dictionary, bitpack)                                       |              |DJKSXY        |DFIJKSTXY     |DFIJKSTVXY
//	mini-block(dictionary, byte-stream-split)                             |              |JKSXY         |DFIJKSTXY     |FIJKSTVY
//	mini-block(dictionary, flat)                                          |              |DJKSXY        |DFIJKSTXY     |DFIJKSTVY
//	mini-block(dictionary, lz4(bitpack))                                  |              |K             |K             |
//	mini-block(dictionary, lz4(byte-stream-split))                        |              |DJKS          |DFIJKSTXY     |FIJKSTVXY
//	mini-block(dictionary, rle)                                           |              |DJKSXY        |DFIJKSTXY     |DFIJKSTVXY
//	mini-block(dictionary, zstd(bitpack))                                 |              |              |K             |
//	mini-block(dictionary, zstd(byte-stream-split))                       |              |DJKS          |DIJKSTY       |DIJKSTVY
//	mini-block(fixed-size-list(fixed-size-list(fixed-size-list(flat))))   |              |V             |V             |V
//	mini-block(fixed-size-list(fixed-size-list(flat)))                    |              |V             |V             |V
//	mini-block(fixed-size-list(flat))                                     |              |V             |V             |V
//	mini-block(flat)                                                      |              |BDFITX        |BDFITX        |BDFITX
//	mini-block(fsst)                                                      |              |SY            |JSY           |JSY
//	mini-block(lz4(bitpack))                                              |              |              |FIT           |X
//	mini-block(lz4(byte-stream-split))                                    |              |ITX           |FIT           |IT
//	mini-block(lz4(flat))                                                 |              |DFI           |DIX           |DX
//	mini-block(lz4(rle(lz4(flat))))                                       |              |              |              |FT
//	mini-block(lz4(rle))                                                  |              |I             |T             |
//	mini-block(lz4(variable))                                             |              |JSY           |JSY           |SY
//	mini-block(packed-struct)                                             |              |P             |P             |P
//	mini-block(rle(lz4(flat)))                                            |              |              |              |FIT
//	mini-block(rle(out-of-line bitpack))                                  |              |              |              |FIT
//	mini-block(rle(zstd(flat)))                                           |              |              |              |FIT
//	mini-block(rle)                                                       |              |FITX          |FITX          |FITX
//	mini-block(variable)                                                  |              |JSY           |JSY           |JSY
//	mini-block(zstd(bitpack))                                             |              |I             |FIX           |
//	mini-block(zstd(byte-stream-split))                                   |              |FIT           |FIT           |FIT
//	mini-block(zstd(flat))                                                |              |DFTX          |DFITX         |DIX
//	mini-block(zstd(rle))                                                 |              |FT            |FI            |
//	mini-block(zstd(variable))                                            |              |SY            |SY            |SY
//	nullable(fixed-size-list(all-null))                                   |V             |              |              |
//	nullable(fixed-size-list(fixed-size-list(fixed-size-list(flat))))     |V             |              |              |
//	nullable(fixed-size-list(fixed-size-list(flat)))                      |V             |              |              |
//	nullable(fixed-size-list(fixed-size-list(nullable(flat))))            |V             |              |              |
//	nullable(fixed-size-list(flat))                                       |V             |              |              |
//	nullable(fixed-size-list(nullable(fixed-size-list(flat))))            |V             |              |              |
//	nullable(fixed-size-list(nullable(fixed-size-list(nullable(flat)))))  |V             |              |              |
//	nullable(fixed-size-list(nullable(flat)))                             |V             |              |              |
//	nullable(flat)                                                        |BDFITX        |              |              |
//	packed-struct                                                         |OP            |              |              |
//	sparse constant                                                       |              |              |              |BDFIJKLNOPSTVXY
//	sparse full-zip(fixed-size-list(constant))                            |              |              |              |V
//	sparse full-zip(fixed-size-list(fixed-size-list(flat)))               |              |              |              |V
//	sparse full-zip(fixed-size-list(flat))                                |              |              |              |V
//	sparse full-zip(flat)                                                 |              |              |              |X
//	sparse full-zip(fsst)                                                 |              |              |              |SY
//	sparse full-zip(packed-struct(members))                               |              |              |              |P
//	sparse full-zip(variable)                                             |              |              |              |SY
//	sparse full-zip(zstd(variable))                                       |              |              |              |SY
//	sparse indexed(zstd(variable))                                        |              |              |              |S
//	sparse mini-block(bitpack)                                            |              |              |              |FITX
//	sparse mini-block(byte-stream-split)                                  |              |              |              |F
//	sparse mini-block(dictionary, bitpack)                                |              |              |              |DIJKSTVY
//	sparse mini-block(dictionary, byte-stream-split)                      |              |              |              |FJKSTY
//	sparse mini-block(dictionary, flat)                                   |              |              |              |DKY
//	sparse mini-block(dictionary, lz4(byte-stream-split))                 |              |              |              |KY
//	sparse mini-block(dictionary, rle)                                    |              |              |              |FJKSVY
//	sparse mini-block(dictionary, zstd(byte-stream-split))                |              |              |              |FK
//	sparse mini-block(fixed-size-list(flat))                              |              |              |              |V
//	sparse mini-block(flat)                                               |              |              |              |BDFITX
//	sparse mini-block(fsst)                                               |              |              |              |S
//	sparse mini-block(lz4(bitpack))                                       |              |              |              |I
//	sparse mini-block(lz4(byte-stream-split))                             |              |              |              |I
//	sparse mini-block(packed-struct)                                      |              |              |              |P
//	sparse mini-block(rle)                                                |              |              |              |FITX
//	sparse mini-block(variable)                                           |              |              |              |JSY
//	sparse mini-block(zstd(bitpack))                                      |              |              |              |F
//	sparse mini-block(zstd(byte-stream-split))                            |              |              |              |T
//	sparse mini-block(zstd(variable))                                     |              |              |              |Y
//	struct                                                                |L             |              |              |
//
// All rows above are tested by TestRoundTrip of integration/roundtrip, on random tables that pylance writes. Beside it read,
// with values that pylance gave or the format's rules tell:
//
//	rows                                test               tables, files or pages
//	all of 2.0                          TestArrayEncodings hand-made pages of each encoding, those that no writer uses too
//	list, struct                        TestLists20        hand-made pages
//	packed-struct of blobs              TestBlobs20        hand-made pages
//	all of 2.1, 2.2, 2.3 but the next   TestGoldenWhole    types, texts, levels, lists, fixed_lists, compressed, long_texts, pages
//	constant, packed members            TestGoldenWhole    only_22
//	dictionary, ...                     TestGoldenWhole    dictionaries
//	blob(...), packed members of blobs  TestGoldenWhole    blobs, blobs2
//	sparse ...                          TestGoldenWhole    sparse
//	sparse ..., by each kind of number  TestSparsePages    hand-made pages
//	offsets, positions, counts of 2.3   TestSequences      hand-made sequences of each kind
//	of a struct's members, all versions TestFarScans       nested_2_0, nested_2_1, nested_2_2, evolve_2_0, evolve_2_1, evolve_2_2
//
// Legacy files have no encodings to choose from. What they hold of each type is read by TestReadAll of lanceio/file, out of
// the file types_legacy, batch tables of all writers by TestLegacy, out of hand-made files, and whole tables by TestLegacyTables, out of
// nested_legacy and evolve_legacy:
//
//	values                              columns of types_legacy
//	plain                               i64, i8_some, u32_all, b, b_some, f16, f64, dec, ts, fsb  (B I F D T X)
//	nothing                             nul                                                       (N)
//	places and bytes                    s, s_few, s_empty, ls, bin, json                          (S Y J)
//	fixed lists of plain values         fsl, fsl_items, fsl2, fsl_bool                            (V)
//	keys                                dict                                                      (K)
//	offsets, and pages of the members   l, ll, lst, st                                            (L)
package lanceio
