package logical

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/lanceflight/flightsrv/errs"
	"github.com/lanceflight/flightsrv/planner/sqltext"
)

// spelling is another database's function, in the form that DuckDB has for it.
type spelling struct {
	args int // how many it takes, negative for any number
	to   func(x *sqltext.FuncCall, args []sqltext.Expr) (sqltext.Expr, error)
}

// spellings are functions of PostgreSQL, MySQL and Oracle that DuckDB lacks, or has by another name or order of
// arguments; a function that is not here keeps its name. One without a form is there with the arguments of foreignCalls only. The key is the name and, where it matters, "/" and the number
// of arguments.
var spellings = map[string]spelling{
	"pg_typeof":      {1, pgTypeof},
	"if":             {3, ifElse},
	"iif":            {3, ifElse},
	"timestampdiff":  {3, timestampDiff},
	"date_bin":       {3, named("time_bucket")},
	"date_bin/2":     {2, binSince1970},
	"to_timestamp/2": {2, castTo("TIMESTAMPTZ", formatted("strptime", postgresFormat))},
	"nvl":            {2, named("coalesce")},
	"nvl2":           {3, nvl2},
	"truncate":       {2, named("trunc")},
	"to_char":        {2, formatted("strftime", postgresFormat)},
	"to_date":        {2, castTo("DATE", formatted("strptime", postgresFormat))},
	"date_format":    {2, formatted("strftime", mysqlFormat)},
	"str_to_date":    {2, formatted("strptime", mysqlFormat)},
	"datediff/2":     {2, daysBetween},
	"locate":         {2, turned("instr")},
	"charindex":      {2, turned("instr")},
	"space":          {1, spaces},
	"regexp_like":    {2, named("regexp_matches")},
	"regexp_substr":  {2, firstMatch},
	"from_unixtime":  {1, named("to_timestamp")},
	"curdate":        {0, named("current_date")},
	"curtime":        {0, named("current_time")},
	"sysdate":        {0, named("current_localtimestamp")},

	"json_build_object": {-1, named("json_object")},

	"overlay":      {4, nil},
	"timestampadd": {3, timestampAdd},

	sqltext.EscapedPrefix + "insert":       {4, nil},
	sqltext.EscapedPrefix + "log":          {1, named("ln")},
	sqltext.EscapedPrefix + "dayofweek":    {1, dayFromOne},
	sqltext.EscapedPrefix + "char":         {1, named("chr")},
	sqltext.EscapedPrefix + "convert":      {2, escapedConvert},
	sqltext.EscapedPrefix + "length":       {1, lengthOfTrimmed},
	sqltext.EscapedPrefix + "octet_length": {1, named("strlen")},
	sqltext.EscapedPrefix + "rand":         {0, named("random")},
}

// spelled gives a call in DuckDB's form; the call itself where that is its form.
func (b *binder) spelled(x *sqltext.FuncCall) (sqltext.Expr, error) {
	s, ok := spellings[x.Name]
	if exact, also := spellings[x.Name+"/"+strconv.Itoa(len(x.Args))]; also {
		s, ok = exact, true
	}
	if !ok {
		return x, nil
	}
	if s.args >= 0 && len(x.Args) != s.args {
		return nil, b.errorf(x.Pos, "%s takes %d arguments, not %d", strings.TrimPrefix(x.Name, sqltext.EscapedPrefix), s.args, len(x.Args))
	}
	out, err := s.to(x, x.Args)
	if err != nil {
		return nil, b.at(x.Pos, err)
	}
	return out, nil
}

func callAt(x *sqltext.FuncCall, name string, args ...sqltext.Expr) *sqltext.FuncCall {
	return &sqltext.FuncCall{At: x.At, Name: name, Args: args}
}

func named(name string) func(*sqltext.FuncCall, []sqltext.Expr) (sqltext.Expr, error) {
	return func(x *sqltext.FuncCall, args []sqltext.Expr) (sqltext.Expr, error) {
		return callAt(x, name, args...), nil
	}
}

// turned has the two arguments the other way round.
func turned(name string) func(*sqltext.FuncCall, []sqltext.Expr) (sqltext.Expr, error) {
	return func(x *sqltext.FuncCall, args []sqltext.Expr) (sqltext.Expr, error) {
		return callAt(x, name, args[1], args[0]), nil
	}
}

// firstMatch is what of a text matches first; null where nothing does, unlike regexp_extract.
func firstMatch(x *sqltext.FuncCall, args []sqltext.Expr) (sqltext.Expr, error) {
	return callAt(x, "list_extract", callAt(x, "regexp_extract_all", args...), &sqltext.NumberLit{At: x.At, Text: "1"}), nil
}

// lengthOfTrimmed is ODBC's length, which does not count the blanks at a text's end.
func lengthOfTrimmed(x *sqltext.FuncCall, args []sqltext.Expr) (sqltext.Expr, error) {
	return callAt(x, "length", callAt(x, "rtrim", args[0], &sqltext.StringLit{At: x.At, Value: " "})), nil
}

// escapedTypes are the types of {fn convert(x, type)} by their names without SQL_. A decimal is not among them, as no width is said.
// Source: ODBC 3.8, appendix D, SQL data types.
var escapedTypes = map[string]string{
	"bigint": "BIGINT", "bit": "BOOLEAN", "boolean": "BOOLEAN", "char": "VARCHAR", "date": "DATE", "double": "DOUBLE", "float": "DOUBLE", "integer": "INTEGER",
	"longvarchar": "VARCHAR", "real": "FLOAT", "smallint": "SMALLINT", "time": "TIME", "timestamp": "TIMESTAMP", "tinyint": "TINYINT", "varchar": "VARCHAR",
	"type_date": "DATE", "type_time": "TIME", "type_timestamp": "TIMESTAMP", "wchar": "VARCHAR", "wvarchar": "VARCHAR", "wlongvarchar": "VARCHAR",
}

// escapedConvert is {fn convert(x, SQL_VARCHAR)}.
func escapedConvert(x *sqltext.FuncCall, args []sqltext.Expr) (sqltext.Expr, error) {
	name, ok := args[1].(*sqltext.Name)
	typ := ""
	if ok && len(name.Parts) == 1 {
		typ = escapedTypes[strings.TrimPrefix(strings.ToLower(name.Parts[0].Text), "sql_")]
	}
	if typ == "" {
		return nil, errs.Invalidf("convert takes a type last, one of %s; CAST(x AS type) takes all", strings.Join(slices.Sorted(maps.Keys(escapedTypes)), ", "))
	}
	return &sqltext.CastExpr{At: x.At, X: args[0], To: sqltext.TypeName{Name: typ, Pos: args[1].ExprPos()}}, nil
}

// dayFromOne is the day of the week, 1 for Sunday.
func dayFromOne(x *sqltext.FuncCall, args []sqltext.Expr) (sqltext.Expr, error) {
	return &sqltext.Binary{At: x.At, Op: "+", L: callAt(x, "dayofweek", args[0]), R: &sqltext.NumberLit{At: x.At, Text: "1"}}, nil
}

// pgTypeof is the type's name in lower case.
func pgTypeof(x *sqltext.FuncCall, args []sqltext.Expr) (sqltext.Expr, error) {
	return callAt(x, "lower", callAt(x, "typeof", args[0])), nil
}

func ifElse(x *sqltext.FuncCall, args []sqltext.Expr) (sqltext.Expr, error) {
	return &sqltext.CaseExpr{At: x.At, Whens: []sqltext.CaseWhen{{Cond: args[0], Then: args[1]}}, Else: args[2]}, nil
}

// The units of MySQL and of JDBC's SQL_TSI_ names. DuckDB's whole months are not theirs: to it the last days of two months
// are a month apart.
var (
	timestampUnits = []string{"microsecond", "second", "minute", "hour", "day", "week"}
	monthUnits     = []string{"month", "quarter", "year"}
)

// unitOf reads the first argument of timestampdiff and timestampadd.
func unitOf(x sqltext.Expr) string {
	unit, ok := x.(*sqltext.Name)
	if !ok || len(unit.Parts) != 1 {
		return ""
	}
	return strings.TrimPrefix(strings.ToLower(unit.Parts[0].Text), "sql_tsi_")
}

// timestampAdd is timestampadd(unit, n, x): x and n units.
func timestampAdd(x *sqltext.FuncCall, args []sqltext.Expr) (sqltext.Expr, error) {
	unit := unitOf(args[0])
	if all := slices.Concat(timestampUnits, monthUnits); !slices.Contains(all, unit) {
		return nil, errs.Invalidf("timestampadd takes a unit first, one of %s", strings.Join(all, ", "))
	}
	span := &sqltext.IntervalLit{At: x.At, Value: args[1], Unit: strings.ToUpper(unit)}
	return &sqltext.Binary{At: x.At, Op: "+", L: args[2], R: span}, nil
}

// timestampDiff is MySQL's timestampdiff(unit, a, b): the whole units from a to b.
func timestampDiff(x *sqltext.FuncCall, args []sqltext.Expr) (sqltext.Expr, error) {
	name := unitOf(args[0])
	if slices.Contains(timestampUnits, name) {
		return callAt(x, "date_sub", &sqltext.StringLit{At: x.At, Value: name}, args[1], args[2]), nil
	}
	if slices.Contains(monthUnits, name) {
		return nil, errs.Invalidf("timestampdiff does not count a %s here: date_diff('%[1]s', a, b) counts the beginnings of one between a and b, date_sub('%[1]s', a, b) those that are full by DuckDB's rules", name)
	}
	return nil, errs.Invalidf("timestampdiff takes a unit first, one of %s", strings.Join(timestampUnits, ", "))
}

// nvl2 is its second argument where the first is not null, else its third.
func nvl2(x *sqltext.FuncCall, args []sqltext.Expr) (sqltext.Expr, error) {
	cond := &sqltext.IsTest{At: x.At, X: args[0], Test: "NULL", Not: true}
	return &sqltext.CaseExpr{At: x.At, Whens: []sqltext.CaseWhen{{Cond: cond, Then: args[1]}}, Else: args[2]}, nil
}

// daysBetween is MySQL's datediff(a, b): the days from b to a.
func daysBetween(x *sqltext.FuncCall, args []sqltext.Expr) (sqltext.Expr, error) {
	return callAt(x, "date_diff", &sqltext.StringLit{At: x.At, Value: "day"}, args[1], args[0]), nil
}

func spaces(x *sqltext.FuncCall, args []sqltext.Expr) (sqltext.Expr, error) {
	return callAt(x, "repeat", &sqltext.StringLit{At: x.At, Value: " "}, args[0]), nil
}

// binSince1970 is DataFusion's date_bin, whose origin is the beginning of 1970.
func binSince1970(x *sqltext.FuncCall, args []sqltext.Expr) (sqltext.Expr, error) {
	origin := &sqltext.TypedLit{At: x.At, Type: sqltext.TypeName{Name: "TIMESTAMP"}, Value: "1970-01-01 00:00:00"}
	return callAt(x, "time_bucket", args[0], args[1], origin), nil
}

func castTo(typ string, of func(*sqltext.FuncCall, []sqltext.Expr) (sqltext.Expr, error)) func(*sqltext.FuncCall, []sqltext.Expr) (sqltext.Expr, error) {
	return func(x *sqltext.FuncCall, args []sqltext.Expr) (sqltext.Expr, error) {
		e, err := of(x, args)
		if err != nil {
			return nil, err
		}
		return &sqltext.CastExpr{At: x.At, X: e, To: sqltext.TypeName{Name: typ}}, nil
	}
}

// formatted turns the format, which must be a literal, into one of strftime.
func formatted(name string, convert func(string) (string, error)) func(*sqltext.FuncCall, []sqltext.Expr) (sqltext.Expr, error) {
	return func(x *sqltext.FuncCall, args []sqltext.Expr) (sqltext.Expr, error) {
		lit, ok := args[1].(*sqltext.StringLit)
		if !ok {
			return nil, errs.Unsupportedf("the format of %s must be a text as it stands: use %s(x, format) with DuckDB's format for others", x.Name, name)
		}
		format, err := convert(lit.Value)
		if err != nil {
			return nil, err
		}
		return callAt(x, name, args[0], &sqltext.StringLit{At: lit.At, Value: format}), nil
	}
}

// mysqlSpecifiers are MySQL's format letters by strftime's. Source: MySQL manual, DATE_FORMAT.
var mysqlSpecifiers = map[byte]string{
	'a': "%a", 'b': "%b", 'c': "%-m", 'd': "%d", 'e': "%-d", 'f': "%f", 'H': "%H", 'h': "%I", 'I': "%I", 'i': "%M", 'j': "%j", 'k': "%-H",
	'l': "%-I", 'M': "%B", 'm': "%m", 'p': "%p", 'r': "%I:%M:%S %p", 'S': "%S", 's': "%S", 'T': "%H:%M:%S", 'W': "%A", 'w': "%w", 'Y': "%Y",
	'y': "%y", '%': "%%",
}

func mysqlFormat(s string) (string, error) {
	var out strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] != '%' || i+1 == len(s) {
			out.WriteByte(s[i])
			continue
		}
		i++
		spec, ok := mysqlSpecifiers[s[i]]
		if !ok {
			return "", errs.Unsupportedf("the format %q: %%%c is not supported", s, s[i])
		}
		out.WriteString(spec)
	}
	return out.String(), nil
}

// postgresPatterns are PostgreSQL's format patterns, the longest of each beginning first. Names of months and days are
// there with FM only: without, PostgreSQL pads them with blanks. Those without a spec are not supported:
// seconds of a day, and the small letters that strftime lacks. Source: PostgreSQL manual, data type formatting.
var postgresPatterns = []struct{ pattern, spec string }{
	{"YYYY", "%Y"}, {"YY", "%y"}, {"FMMonth", "%B"}, {"FMDay", "%A"}, {"FMMM", "%-m"}, {"FMDD", "%-d"}, {"FMHH24", "%-H"}, {"FMHH12", "%-I"},
	{"MM", "%m"}, {"MI", "%M"}, {"MS", "%g"}, {"Mon", "%b"}, {"DDD", "%j"}, {"DD", "%d"}, {"Dy", "%a"}, {"HH24", "%H"}, {"HH12", "%I"},
	{"HH", "%I"}, {"SSSS", ""}, {"SS", "%S"}, {"US", "%f"}, {"am", ""}, {"pm", ""}, {"AM", "%p"}, {"PM", "%p"}, {"IYYY", "%G"}, {"IW", "%V"}, {"tz", ""}, {"TZ", "%Z"},
}

func postgresFormat(s string) (string, error) {
	var out strings.Builder
	rest := s
next:
	for rest != "" {
		for _, p := range postgresPatterns {
			if strings.HasPrefix(rest, p.pattern) || strings.ToUpper(p.pattern) == p.pattern && len(rest) >= len(p.pattern) && rest[:len(p.pattern)] == strings.ToLower(p.pattern) {
				if p.spec == "" {
					return "", errs.Unsupportedf("the format %q: what stands at %q is not supported", s, rest)
				}
				out.WriteString(p.spec)
				rest = rest[len(p.pattern):]
				continue next
			}
		}
		c := rest[0]
		switch {
		case c == '"':
			text, after, ok := strings.Cut(rest[1:], `"`)
			if !ok {
				return "", errs.Invalidf("the format %q has a quote that does not end", s)
			}
			out.WriteString(strings.ReplaceAll(text, "%", "%%"))
			rest = after
			continue
		case c == '%':
			out.WriteString("%%")
		case c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z':
			return "", errs.Unsupportedf("the format %q: what stands at %q is not supported", s, rest)
		default:
			out.WriteByte(c)
		}
		rest = rest[1:]
	}
	return out.String(), nil
}
