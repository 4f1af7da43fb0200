// Package index looks filters up in Lance's scalar indices: B-tree, bitmap and zone map.
//
// A lookup only ever narrows. It gives, for each fragment that an index covers, rows of which those that pass the filter
// are a part; the filter is still tested at these rows. What no index covers, or what can't be told from one, is scanned:
// other kinds of index, formats of later versions, files that are missing or damaged, columns that changed their type.
// None of that is an error.
//
//	conditions on one column   ──> set: spans of keys, null or not
//	B-tree                     page_lookup.lance: min, max, null_count of each page (kept in memory)
//	                           page_data.lance:   values in order, ids; a page is batch_size rows
//	bitmap                     bitmap_page_lookup.lance: keys (kept in memory), bitmaps of ids
//	zone map                   zonemap.lance: min, max, null_count, nan_count, fragment, start, length (kept in memory)
//
// Values are compared by keys: bytes whose order is the order that Lance sorts by, which is the one of Arrow: nulls first,
// floats in total order (-NaN, -inf, -0.0, 0.0, inf, NaN).
//
// Ids are row addresses, or in tables with stable row ids and before version 1 of an index's format, row ids.
//
// Sources: the format's documentation of indices, and files that pylance writes.
package index
