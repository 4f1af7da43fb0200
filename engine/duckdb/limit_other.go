//go:build !linux || !amd64

package duckdb

// allow does nothing where DuckDB's allocator can't be bounded: there only the blocks that it manages are.
func allow(int64) {}
