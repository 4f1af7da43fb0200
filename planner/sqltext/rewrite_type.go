package sqltext

import (
	"strconv"
	"strings"
)

// RegClass is the type that makes the name of a table its number in PostgreSQL's catalog.
const RegClass = "REGCLASS"

// typeNames maps the spellings of types to the names in the tree, as DuckDB's own aliases do.
var typeNames = map[string]string{
	"bigint": "BIGINT", "int64": "BIGINT", "int8": "BIGINT", "long": "BIGINT", "oid": "BIGINT",
	"integer": "INTEGER", "int": "INTEGER", "int32": "INTEGER", "int4": "INTEGER", "integral": "INTEGER", "signed": "INTEGER",
	"smallint": "SMALLINT", "int16": "SMALLINT", "int2": "SMALLINT", "short": "SMALLINT",
	"tinyint": "TINYINT", "int1": "TINYINT",
	"hugeint": "HUGEINT", "int128": "HUGEINT", "uhugeint": "UHUGEINT", "uint128": "UHUGEINT",
	"ubigint": "UBIGINT", "uint64": "UBIGINT", "uinteger": "UINTEGER", "uint32": "UINTEGER",
	"usmallint": "USMALLINT", "uint16": "USMALLINT", "utinyint": "UTINYINT", "uint8": "UTINYINT",
	"double": "DOUBLE", "float8": "DOUBLE", "float": "FLOAT", "float4": "FLOAT", "real": "FLOAT",
	"decimal": "DECIMAL", "dec": "DECIMAL", "numeric": "DECIMAL",
	"boolean": "BOOLEAN", "bool": "BOOLEAN", "logical": "BOOLEAN",
	"varchar": "VARCHAR", "char": "VARCHAR", "character": "VARCHAR", "bpchar": "VARCHAR", "nvarchar": "VARCHAR",
	"string": "VARCHAR", "text": "VARCHAR", "nchar": "VARCHAR",
	"blob": "BLOB", "binary": "BLOB", "bytea": "BLOB", "varbinary": "BLOB",
	"date": "DATE", "time": "TIME", "timetz": "TIMETZ", "time_ns": "TIME_NS", "interval": "INTERVAL",
	"timestamp": "TIMESTAMP", "datetime": "TIMESTAMP", "timestamp_us": "TIMESTAMP", "timestamptz": "TIMESTAMPTZ",
	"timestamp_s": "TIMESTAMP_S", "timestamp_ms": "TIMESTAMP_MS", "timestamp_ns": "TIMESTAMP_NS",
	"uuid": "UUID", "guid": "UUID", "json": "JSON", "bit": "BIT", "bitstring": "BIT",
	"struct": "STRUCT", "row": "STRUCT", "map": "MAP", "regclass": RegClass,
}

// typeName reads a type with its arguments, fields and [].
func (r *rewriter) typeName() TypeName {
	if !r.enter() {
		return TypeName{}
	}
	defer r.leave()
	t := r.peek()
	typ := TypeName{Pos: int(t.start)}
	if t.kind != tokWord && t.kind != tokQuoted {
		r.unexpected("a type")
		return typ
	}
	word := strings.ToLower(t.text)
	name, ok := typeNames[word]
	if !ok {
		switch word {
		case "enum":
			r.failHint(typ.Pos, "its values are texts: cast to VARCHAR", "the type ENUM is not supported")
		case "union", "array", "list", "variant", "bignum", "varint", "geometry", "national":
			r.unsupported(typ.Pos, "the type %s is not supported", strings.ToUpper(word))
		default:
			r.fail(typ.Pos, "there is no type %q", near(r.text[:t.end], typ.Pos))
		}
		return typ
	}
	typ.Name = name
	r.advance()
	switch name {
	case "STRUCT":
		r.structFields(&typ)
	case "MAP":
		r.expectSign("(")
		key := r.typeName()
		r.expectSign(",")
		typ.Children = []TypeName{key, r.typeName()}
		r.expectSign(")")
	default:
		r.scalarType(&typ, word)
	}
	for r.acceptSign("[") {
		typ.Lists = append(typ.Lists, r.arraySize())
		r.expectSign("]")
	}
	return typ
}

// maxArray is the greatest size of an array in DuckDB.
const maxArray = 100_000

// arraySize reads the size of an array; 0 for a list, which has none.
func (r *rewriter) arraySize() int {
	t := r.peek()
	if t.isSign("]") {
		return 0
	}
	n, err := strconv.Atoi(t.text)
	if t.kind != tokNumber || err != nil || n < 1 || n > maxArray {
		r.fail(int(t.start), "the size of an array is a whole number from 1 to %d", maxArray)
		return 0
	}
	r.advance()
	return n
}

func (r *rewriter) structFields(typ *TypeName) {
	r.expectSign("(")
	for first := true; first || r.acceptSign(","); first = false {
		field, _ := r.label()
		typ.Fields = append(typ.Fields, field.Text)
		typ.Children = append(typ.Children, r.typeName())
	}
	r.expectSign(")")
}

// scalarType reads the further words and arguments of a type that isn't nested.
func (r *rewriter) scalarType(typ *TypeName, word string) {
	switch word {
	case "double":
		r.accept("precision")
	case "char", "character", "nchar", "bit":
		r.accept("varying")
	}
	args := r.typeArgs()
	limit := 0
	switch typ.Name {
	case "DECIMAL":
		r.decimal(typ, args)
		return
	case "FLOAT":
		if word == "float" && len(args) == 1 && args[0] > 24 {
			typ.Name = "DOUBLE"
		}
		limit = 53
	case "VARCHAR", "BIT":
		// The length says nothing in DuckDB.
		limit = 1 << 30
	case "TIMESTAMP", "TIME":
		limit = 9
		r.timeType(typ, word, args)
	}
	if len(args) > 1 || len(args) == 1 && (args[0] > limit || args[0] < 1 && limit != 9) {
		r.fail(typ.Pos, "the type %s doesn't take these arguments", strings.ToUpper(word))
	}
}

// decimal checks precision and scale; without them DuckDB's DECIMAL is (18, 3).
func (r *rewriter) decimal(typ *TypeName, args []int) {
	switch len(args) {
	case 0:
		args = []int{18, 3}
	case 1:
		args = append(args, 0)
	}
	if len(args) > 2 || args[0] < 1 || args[0] > 38 || args[1] > args[0] {
		r.fail(typ.Pos, "DECIMAL takes a precision of 1 to 38 and a scale up to it")
	}
	typ.Args = args
}

// timeType reads WITH TIME ZONE and the precision in digits, which chooses the unit.
func (r *rewriter) timeType(typ *TypeName, word string, args []int) {
	zoned := false
	if r.words("with", "time", "zone") || r.words("without", "time", "zone") {
		zoned = r.peek().isWord("with")
		r.pos += 3
	}
	if zoned {
		typ.Name += "TZ"
	}
	if len(args) == 0 {
		return
	}
	if zoned || word != "timestamp" {
		r.unsupported(typ.Pos, "a precision of this type is not supported")
		return
	}
	switch {
	case args[0] == 0:
		typ.Name = "TIMESTAMP_S"
	case args[0] <= 3:
		typ.Name = "TIMESTAMP_MS"
	case args[0] > 6:
		typ.Name = "TIMESTAMP_NS"
	}
}

func (r *rewriter) typeArgs() []int {
	if !r.acceptSign("(") {
		return nil
	}
	var args []int
	for first := true; first || r.acceptSign(","); first = false {
		t := r.peek()
		n, err := strconv.Atoi(t.text)
		if t.kind != tokNumber || err != nil {
			r.unexpected("a whole number")
			return nil
		}
		r.advance()
		args = append(args, n)
	}
	r.expectSign(")")
	return args
}
