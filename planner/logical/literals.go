package logical

import (
	"math/big"
	"strconv"
	"strings"
	"time"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/lanceflight/flightsrv/errs"
	"github.com/lanceflight/flightsrv/expr"
	"github.com/lanceflight/flightsrv/planner/sqltext"
)

func (b *binder) typedLit(x *sqltext.TypedLit) (expr.Expr, error) {
	if len(x.Type.Lists) == 0 {
		switch x.Type.Name {
		case "DATE", "TIME", "TIMESTAMP", "DATETIME", "TIMESTAMPTZ", "TIMESTAMP WITH TIME ZONE":
			t, err := TypeOf(x.Type)
			if err != nil {
				return nil, err
			}
			return expr.ReadTemporal(x.Value, t, b.zone)
		}
	}
	if duckAlone(x.Type) {
		return &expr.Call{Name: expr.CastAs + x.Type.String(), Args: []expr.Expr{expr.Text(x.Value)}}, nil
	}
	t, err := TypeOf(x.Type)
	if err != nil {
		return nil, err
	}
	return b.typed(&expr.Cast{X: expr.Text(x.Value), To: t}, x.Pos)
}

// asOf reads the time of AS OF TIMESTAMP, in microseconds since 1970; without a zone it is in the session's.
func (b *binder) asOf(x sqltext.Expr) (int64, error) {
	var text string
	switch x := x.(type) {
	case *sqltext.StringLit:
		text = x.Value
	case *sqltext.TypedLit:
		text = x.Value
	case *sqltext.ParamRef:
		if b.o.Params != nil && x.Index < len(b.o.Params) {
			return b.asOfParam(b.o.Params[x.Index], x)
		}
		b.setParam(x.Index, &arrow.TimestampType{Unit: arrow.Microsecond, TimeZone: "UTC"})
		return time.Now().UnixMicro(), nil
	default:
		return 0, b.errorf(x.ExprPos(), "AS OF TIMESTAMP takes a text, as in AS OF TIMESTAMP '2026-01-31 12:00:00'")
	}
	l, err := expr.ParseTimestampTZ(text, b.zone)
	if err != nil {
		return 0, b.at(x.ExprPos(), err)
	}
	return b.asOfParam(l, x)
}

func (b *binder) asOfParam(l *expr.Literal, x sqltext.Expr) (int64, error) {
	if s, ok := l.Value.(string); ok {
		t, err := expr.ParseTimestampTZ(s, b.zone)
		if err != nil {
			return 0, b.at(x.ExprPos(), err)
		}
		l = t
	}
	v, ok := l.Value.(int64)
	if k := expr.KindOf(l.Typ); !ok || k != expr.KindTimestamp && k != expr.KindTimestampTZ {
		return 0, b.errorf(x.ExprPos(), "AS OF TIMESTAMP takes a timestamp")
	}
	per := expr.UnitNanos(l.Typ)
	if per >= 1000 {
		return v * (per / 1000), nil
	}
	q := v / 1000
	if v%1000 < 0 {
		q-- // the time before, so that a version made within the microsecond is not seen
	}
	return q, nil
}

// wholeUnits are the units of which INTERVAL counts whole ones, by the type that they are counted in; what is behind the point is cut.
var wholeUnits = map[string]arrow.DataType{
	"microsecond": arrow.PrimitiveTypes.Int64, "minute": arrow.PrimitiveTypes.Int64, "hour": arrow.PrimitiveTypes.Int64, "day": arrow.PrimitiveTypes.Int32,
	"week": arrow.PrimitiveTypes.Int32, "month": arrow.PrimitiveTypes.Int32, "quarter": arrow.PrimitiveTypes.Int32, "year": arrow.PrimitiveTypes.Int32,
	"decade": arrow.PrimitiveTypes.Int32, "century": arrow.PrimitiveTypes.Int32, "millennium": arrow.PrimitiveTypes.Int32,
}

// interval binds INTERVAL: a constant becomes a literal, anything else a multiple of its unit.
func (b *binder) interval(x *sqltext.IntervalLit, c *exprCtx) (expr.Expr, error) {
	unit := strings.ToLower(x.Unit)
	if text, ok := constantText(x.Value); ok {
		if _, err := strconv.ParseInt(text, 10, 64); unit == "" || err == nil {
			return expr.ParseInterval(text, unit)
		}
	}
	e, err := b.expr(x.Value, c)
	if err != nil {
		return nil, err
	}
	if unit == "" {
		return b.typed(&expr.Cast{X: e, To: arrow.FixedWidthTypes.MonthDayNanoInterval}, x.Pos)
	}
	plural := map[string]string{"century": "centuries", "millennium": "millennia"}[unit]
	if plural == "" {
		plural = unit + "s"
	}
	b.wantType(e, arrow.PrimitiveTypes.Int64)
	if expr.KindOf(e.Type()) != expr.KindInt {
		if e, err = b.typed(&expr.Cast{X: e, To: arrow.PrimitiveTypes.Float64}, x.Pos); err != nil {
			return nil, err
		}
		if whole := wholeUnits[unit]; whole != nil {
			e = &expr.Cast{X: &expr.Call{Name: "trunc", Args: []expr.Expr{e}, Typ: arrow.PrimitiveTypes.Float64}, To: whole}
		}
	}
	return &expr.Call{Name: "to_" + plural, Args: []expr.Expr{e}, Typ: arrow.FixedWidthTypes.MonthDayNanoInterval}, nil
}

// maxWhole is the largest number without a point that DuckDB reads as a whole number, a UHUGEINT.
var maxWhole = new(big.Int).Sub(new(big.Int).Lsh(big.NewInt(1), 128), big.NewInt(1))

// number reads a number. Whole ones of 39 digits, which no type of a result holds, would become DOUBLE.
func (b *binder) number(x *sqltext.NumberLit) (expr.Expr, error) {
	l, err := expr.ParseNumber(x.Text)
	if err != nil || l.Typ.ID() != arrow.FLOAT64 {
		return l, err
	}
	if n, ok := new(big.Int).SetString(strings.ReplaceAll(x.Text, "_", ""), 10); ok && n.Cmp(maxWhole) <= 0 {
		return nil, b.errorf(x.Pos, "whole numbers have at most 38 digits: write a DOUBLE, as 1.5e38")
	}
	return l, nil
}

// constantText is a text or number as it stands.
func constantText(x sqltext.Expr) (string, bool) {
	switch v := x.(type) {
	case *sqltext.StringLit:
		return v.Value, true
	case *sqltext.NumberLit:
		return v.Text, true
	case *sqltext.Unary:
		if n, ok := v.X.(*sqltext.NumberLit); ok && v.Op == "-" {
			return "-" + n.Text, true
		}
	}
	return "", false
}

// typeNames are the SQL types without arguments, by DuckDB's names and the aliases that tools use.
var typeNames = map[string]arrow.DataType{
	"BOOLEAN": arrow.FixedWidthTypes.Boolean, "BOOL": arrow.FixedWidthTypes.Boolean, "LOGICAL": arrow.FixedWidthTypes.Boolean,
	"TINYINT": arrow.PrimitiveTypes.Int8, "INT1": arrow.PrimitiveTypes.Int8,
	"SMALLINT": arrow.PrimitiveTypes.Int16, "INT2": arrow.PrimitiveTypes.Int16, "SHORT": arrow.PrimitiveTypes.Int16,
	"INTEGER": arrow.PrimitiveTypes.Int32, "INT": arrow.PrimitiveTypes.Int32, "INT4": arrow.PrimitiveTypes.Int32, "SIGNED": arrow.PrimitiveTypes.Int32,
	"BIGINT": arrow.PrimitiveTypes.Int64, "INT8": arrow.PrimitiveTypes.Int64, "LONG": arrow.PrimitiveTypes.Int64,
	"UTINYINT": arrow.PrimitiveTypes.Uint8, "USMALLINT": arrow.PrimitiveTypes.Uint16,
	"UINTEGER": arrow.PrimitiveTypes.Uint32, "UBIGINT": arrow.PrimitiveTypes.Uint64,
	"HUGEINT": &arrow.Decimal128Type{Precision: 38},
	"FLOAT":   arrow.PrimitiveTypes.Float32, "REAL": arrow.PrimitiveTypes.Float32, "FLOAT4": arrow.PrimitiveTypes.Float32,
	"DOUBLE": arrow.PrimitiveTypes.Float64, "FLOAT8": arrow.PrimitiveTypes.Float64, "DOUBLE PRECISION": arrow.PrimitiveTypes.Float64,
	"VARCHAR": arrow.BinaryTypes.String, "TEXT": arrow.BinaryTypes.String, "STRING": arrow.BinaryTypes.String,
	"CHAR": arrow.BinaryTypes.String, "BPCHAR": arrow.BinaryTypes.String, "NVARCHAR": arrow.BinaryTypes.String, "CHARACTER VARYING": arrow.BinaryTypes.String,
	"CHARACTER": arrow.BinaryTypes.String,
	"BLOB":      arrow.BinaryTypes.Binary, "BYTEA": arrow.BinaryTypes.Binary, "BINARY": arrow.BinaryTypes.Binary, "VARBINARY": arrow.BinaryTypes.Binary,
	"DATE": arrow.FixedWidthTypes.Date32,
	"TIME": arrow.FixedWidthTypes.Time64us, "TIME WITHOUT TIME ZONE": arrow.FixedWidthTypes.Time64us, "TIME_NS": arrow.FixedWidthTypes.Time64ns,
	"TIMESTAMP": naive(arrow.Microsecond), "DATETIME": naive(arrow.Microsecond), "TIMESTAMP_US": naive(arrow.Microsecond),
	"TIMESTAMP WITHOUT TIME ZONE": naive(arrow.Microsecond),
	"TIMESTAMP_S":                 naive(arrow.Second), "TIMESTAMP_MS": naive(arrow.Millisecond), "TIMESTAMP_NS": naive(arrow.Nanosecond),
	"TIMESTAMPTZ":              &arrow.TimestampType{Unit: arrow.Microsecond, TimeZone: "UTC"},
	"TIMESTAMP WITH TIME ZONE": &arrow.TimestampType{Unit: arrow.Microsecond, TimeZone: "UTC"},
	"INTERVAL":                 arrow.FixedWidthTypes.MonthDayNanoInterval,
}

func naive(u arrow.TimeUnit) arrow.DataType { return &arrow.TimestampType{Unit: u} }

// TypeOf gives the Arrow type of a type as SQL spells it. DECIMAL without arguments is DECIMAL(18,3), as in DuckDB.
func TypeOf(n sqltext.TypeName) (arrow.DataType, error) {
	t, err := scalarType(n)
	if err != nil {
		return nil, err
	}
	for _, size := range n.Lists {
		if size > 0 {
			t = arrow.FixedSizeListOf(int32(size), t)
		} else {
			t = arrow.ListOf(t)
		}
	}
	return t, nil
}

func scalarType(n sqltext.TypeName) (arrow.DataType, error) {
	name := strings.ToUpper(n.Name)
	switch name {
	case "DECIMAL", "NUMERIC", "DEC":
		return decimal(n.Args)
	case "STRUCT", "ROW":
		fields := make([]arrow.Field, len(n.Children))
		for i, c := range n.Children {
			t, err := TypeOf(c)
			if err != nil {
				return nil, err
			}
			f := ""
			if i < len(n.Fields) {
				f = n.Fields[i]
			}
			fields[i] = arrow.Field{Name: f, Type: t, Nullable: true}
		}
		return arrow.StructOf(fields...), nil
	case "MAP":
		if len(n.Children) != 2 {
			return nil, errs.Invalidf("MAP takes two types, as in MAP(VARCHAR, INTEGER)")
		}
		k, err := TypeOf(n.Children[0])
		if err != nil {
			return nil, err
		}
		v, err := TypeOf(n.Children[1])
		if err != nil {
			return nil, err
		}
		return arrow.MapOf(k, v), nil
	}
	if t, ok := typeNames[name]; ok {
		return t, nil
	}
	return nil, errs.New(errs.ErrInvalidInput, "there is no type %s", n.Name)
}

func decimal(args []int) (arrow.DataType, error) {
	p, s := 18, 3
	if len(args) > 0 {
		p, s = args[0], 0
	}
	if len(args) > 1 {
		s = args[1]
	}
	if p < 1 || p > 38 || s < 0 || s > p || len(args) > 2 {
		return nil, errs.Invalidf("DECIMAL takes a width of 1 to 38 digits and a scale of 0 up to the width")
	}
	return &arrow.Decimal128Type{Precision: int32(p), Scale: int32(s)}, nil
}
