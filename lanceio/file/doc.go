// Package file reads the framing of Lance data files, and hands the columns to package encoding. From version 2.0 on:
//
//	page, column and global buffers
//	column metadata 0 .. n-1        protobuf, back to back
//	column table                    n times u64 position, u64 size
//	buffer table                    g times u64 position, u64 size; buffer 0 is the file's description
//	footer, 40 bytes                u64 position of column metadata 0, of the column table, of the buffer table,
//	                                u32 g, u32 n, u16 major, u16 minor, "LANC"
//
// A legacy file (0.0 to 0.2) ends in another way:
//
//	pages of each batch of rows
//	page table                      for each field id from the file's lowest to its highest, for each batch:
//	                                i64 position, i64 length of the page; 0, 0 where there is none
//	statistics, dictionary values   of which only the latter are read
//	u32 length, Manifest            the file's own schema
//	u32 length, Metadata            rows of each batch, positions of the page table and the manifest
//	footer, 16 bytes                u64 position of Metadata, u16 major, u16 minor, "LANC"
//
// Integers are little-endian. Positions are from the start of the file; each is held against the file's size before use.
package file
