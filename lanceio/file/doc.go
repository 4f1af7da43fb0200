// Package file reads the framing of Lance data files from version 2.0 on, and hands the columns to package encoding.
//
//	page, column and global buffers
//	column metadata 0 .. n-1        protobuf, back to back
//	column table                    n times u64 position, u64 size
//	buffer table                    g times u64 position, u64 size; buffer 0 is the file's description
//	footer, 40 bytes                u64 position of column metadata 0, of the column table, of the buffer table,
//	                                u32 g, u32 n, u16 major, u16 minor, "LANC"
//
// Integers are little-endian. Positions are from the start of the file; each is held against the file's size before use.
package file
