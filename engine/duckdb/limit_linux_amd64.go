package duckdb

/*
#cgo CFLAGS: -fexceptions
#cgo LDFLAGS: -Wl,--wrap=duckdb_je_malloc -Wl,--wrap=duckdb_je_realloc -Wl,--wrap=duckdb_je_free
void flightsrv_allow(long bytes);
long flightsrv_held(void);
*/
import "C"

// allow raises, or with a negative number lowers, how many bytes DuckDB may hold in this process in all. DuckDB bounds the
// blocks that it manages, not what its functions make within a vector; a request above what is allowed fails as if the
// system had no memory, and the statement that made it ends with an error. The count is the process's, since the
// allocator is.
func allow(bytes int64) { C.flightsrv_allow(C.long(bytes)) }

// heldBytes is what DuckDB holds in this process.
func heldBytes() int64 { return int64(C.flightsrv_held()) }
