package scan

import "hash/fnv"

// OID is the number by which PostgreSQL's catalog knows the catalog, schema or table of a whole name. It is made of the name, so
// that it is the same in all statements; 53 bits, which any client holds, keep two of a million names apart.
func OID(name ...string) int64 {
	h := fnv.New64a()
	for _, part := range name {
		_, _ = h.Write([]byte(part)) // never fails
		_, _ = h.Write([]byte{0})
	}
	return 1<<52 | int64(h.Sum64()>>12) // above the numbers of types
}
