package expr

import "strings"

// PgType is a type as PostgreSQL's catalog has it.
type PgType struct {
	SQL      string // DuckDB's name, without what stands in parentheses
	OID      int64
	Name     string // in pg_type
	Format   string // as format_type spells it
	Bytes    int64  // -1 where they vary
	Category string // a letter; source: PostgreSQL manual, pg_type
}

// firstOwnType is the first number of a type that PostgreSQL lacks: below it all are its own. Source: PostgreSQL manual, OIDs.
const firstOwnType = 16384

// PgTypes are the types that a column can have. The numbers are PostgreSQL's where it has the type. Source: PostgreSQL, pg_type.dat.
var PgTypes = []PgType{
	{"BOOLEAN", 16, "bool", "boolean", 1, "B"},
	{"BLOB", 17, "bytea", "bytea", -1, "U"},
	{"BIGINT", 20, "int8", "bigint", 8, "N"},
	{"SMALLINT", 21, "int2", "smallint", 2, "N"},
	{"INTEGER", 23, "int4", "integer", 4, "N"},
	{"FLOAT", 700, "float4", "real", 4, "N"},
	{"DOUBLE", 701, "float8", "double precision", 8, "N"},
	{"UNKNOWN", 705, "unknown", "unknown", -2, "X"},
	{"VARCHAR", 1043, "varchar", "character varying", -1, "S"},
	{"DATE", 1082, "date", "date", 4, "D"},
	{"TIME", 1083, "time", "time without time zone", 8, "D"},
	{"TIMESTAMP", 1114, "timestamp", "timestamp without time zone", 8, "D"},
	{"TIMESTAMP WITH TIME ZONE", 1184, "timestamptz", "timestamp with time zone", 8, "D"},
	{"INTERVAL", 1186, "interval", "interval", 16, "T"},
	{"DECIMAL", 1700, "numeric", "numeric", -1, "N"},
	{"UUID", 2950, "uuid", "uuid", 16, "U"},
	{"TINYINT", firstOwnType, "tinyint", "tinyint", 1, "N"},
	{"UTINYINT", firstOwnType + 1, "utinyint", "utinyint", 1, "N"},
	{"USMALLINT", firstOwnType + 2, "usmallint", "usmallint", 2, "N"},
	{"UINTEGER", firstOwnType + 3, "uinteger", "uinteger", 4, "N"},
	{"UBIGINT", firstOwnType + 4, "ubigint", "ubigint", 8, "N"},
	{"HUGEINT", firstOwnType + 5, "hugeint", "hugeint", 16, "N"},
	{"UHUGEINT", firstOwnType + 6, "uhugeint", "uhugeint", 16, "N"},
	{"TIMESTAMP_S", firstOwnType + 7, "timestamp_s", "timestamp_s", 8, "D"},
	{"TIMESTAMP_MS", firstOwnType + 8, "timestamp_ms", "timestamp_ms", 8, "D"},
	{"TIMESTAMP_NS", firstOwnType + 9, "timestamp_ns", "timestamp_ns", 8, "D"},
	{"TIME_NS", firstOwnType + 10, "time_ns", "time_ns", 8, "D"},
	{"LIST", firstOwnType + 11, "list", "list", -1, "A"},
	{"ARRAY", firstOwnType + 12, "array", "array", -1, "A"},
	{"STRUCT", firstOwnType + 13, "struct", "struct", -1, "C"},
	{"MAP", firstOwnType + 14, "map", "map", -1, "C"},
}

// PgTypeOf gives the type of a name that SQLType gave.
func PgTypeOf(sqlType string) PgType {
	name, _, _ := strings.Cut(sqlType, "(")
	switch {
	case strings.HasSuffix(sqlType, "[]"):
		name = "LIST"
	case strings.HasSuffix(sqlType, "]"):
		name = "ARRAY"
	}
	unknown := PgType{}
	for _, t := range PgTypes {
		switch t.SQL {
		case name:
			return t
		case "UNKNOWN":
			unknown = t
		}
	}
	return unknown
}
