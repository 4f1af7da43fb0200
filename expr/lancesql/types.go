package lancesql

import (
	"math/big"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/lanceflight/flightsrv/expr"
)

var typeNames = map[string]arrow.DataType{
	"BOOLEAN": arrow.FixedWidthTypes.Boolean, "BOOL": arrow.FixedWidthTypes.Boolean,
	"TINYINT": arrow.PrimitiveTypes.Int8, "SMALLINT": arrow.PrimitiveTypes.Int16, "INT2": arrow.PrimitiveTypes.Int16,
	"INT": arrow.PrimitiveTypes.Int32, "INTEGER": arrow.PrimitiveTypes.Int32, "INT4": arrow.PrimitiveTypes.Int32,
	"BIGINT": arrow.PrimitiveTypes.Int64, "INT8": arrow.PrimitiveTypes.Int64,
	"FLOAT": arrow.PrimitiveTypes.Float32, "REAL": arrow.PrimitiveTypes.Float32, "FLOAT4": arrow.PrimitiveTypes.Float32,
	"DOUBLE": arrow.PrimitiveTypes.Float64, "FLOAT8": arrow.PrimitiveTypes.Float64,
	"STRING": arrow.BinaryTypes.String, "VARCHAR": arrow.BinaryTypes.String, "TEXT": arrow.BinaryTypes.String,
	"CHAR": arrow.BinaryTypes.String, "BINARY": arrow.BinaryTypes.Binary, "BYTEA": arrow.BinaryTypes.Binary,
	"DATE": arrow.FixedWidthTypes.Date32, "TIME": arrow.FixedWidthTypes.Time64us,
	"TIMESTAMP": &arrow.TimestampType{Unit: arrow.Microsecond},
}

var unsignedNames = map[string]arrow.DataType{
	"TINYINT": arrow.PrimitiveTypes.Uint8, "SMALLINT": arrow.PrimitiveTypes.Uint16, "INT": arrow.PrimitiveTypes.Uint32,
	"INTEGER": arrow.PrimitiveTypes.Uint32, "BIGINT": arrow.PrimitiveTypes.Uint64,
}

// typeName reads the type of a cast.
func (p *parser) typeName() (arrow.DataType, error) {
	t := p.next()
	upper := strings.ToUpper(t.s)
	typ := typeNames[upper]
	if t.kind == word && (upper == "DECIMAL" || upper == "NUMERIC") {
		return p.decimalType(t)
	}
	if t.kind != word || typ == nil {
		return nil, p.fail(t, "there is no type "+t.s)
	}
	if p.takeWords("UNSIGNED") {
		if typ = unsignedNames[upper]; typ == nil {
			return nil, p.fail(t, "there is no type "+t.s+" UNSIGNED")
		}
	}
	if upper == "TIMESTAMP" {
		if p.take("(") {
			n := p.next()
			unit, ok := map[string]arrow.TimeUnit{"0": arrow.Second, "3": arrow.Millisecond, "6": arrow.Microsecond, "9": arrow.Nanosecond}[n.s]
			if !ok {
				return nil, p.fail(n, "a timestamp has 0, 3, 6 or 9 digits")
			}
			return &arrow.TimestampType{Unit: unit}, p.expect(")")
		}
	}
	return typ, nil
}

func (p *parser) decimalType(t token) (arrow.DataType, error) {
	precision, scale := int64(38), int64(10)
	if p.take("(") {
		args, err := p.list(")")
		if err != nil {
			return nil, err
		}
		for i, a := range args {
			l, ok := a.(*expr.Literal)
			n, isInt := int64(0), false
			if ok {
				n, isInt = l.Value.(int64)
			}
			if !isInt || i > 1 {
				return nil, p.fail(t, "a decimal has a precision and a scale")
			}
			if i == 0 {
				precision, scale = n, 0
			} else {
				scale = n
			}
		}
	}
	if precision < 1 || precision > 76 || scale < 0 || scale > precision {
		return nil, p.fail(t, "a decimal has 1 to 76 digits and no more of them after the point")
	}
	return expr.Decimal(new(big.Int), int32(precision), int32(scale)).Typ, nil
}

// function names of the dialect that the tree knows by another name.
var renamed = map[string]string{"regexp_match": "regexp_matches", "regexp_like": "regexp_matches", "make_array": "list_value",
	"array_has": "list_contains", "array_contains": "list_contains", "list_has": "list_contains", "character_length": "length",
	"char_length": "length", "array_has_any": "list_has_any", "array_has_all": "list_has_all", "power": "pow", "btrim": "trim",
	"octet_length": "strlen"}

func (p *parser) function(t token) (expr.Expr, error) {
	args, err := p.list(")")
	if err != nil {
		return nil, err
	}
	name := strings.ToLower(t.s)
	if n, ok := renamed[name]; ok {
		name = n
	}
	if (name == "date_part" || name == "datepart") && len(args) == 2 {
		if l, ok := args[0].(*expr.Literal); ok {
			if part, ok := l.Value.(string); ok && dateParts[strings.ToLower(part)] {
				return expr.Fn(strings.ToLower(part), args[1]), nil
			}
		}
	}
	if _, ok := expr.FunctionByName(name); !ok {
		return nil, p.fail(t, "there is no function "+t.s)
	}
	return expr.Fn(name, args...), nil
}

var dateParts = map[string]bool{"year": true, "month": true, "day": true, "hour": true, "minute": true, "second": true, "quarter": true}
