package flightsql

import (
	"sort"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	fsql "github.com/apache/arrow-go/v18/arrow/flight/flightsql"
	"github.com/apache/arrow-go/v18/arrow/flight/flightsql/schema_ref"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/lanceflight/flightsrv/planner"
)

// Bits of the masks of SqlInfo: bit n stands for the enum value n.
const (
	bit0 = int32(1) << iota
	bit1
	bit2
	bit3
)

// sqlInfo has a value for each of the ids of the protocol, in the union member that its comment there demands: string,
// bool, int64, int32 (ordinals, bit masks and timeouts), []string, map[int32][]int32. A limit of 0 is "none or not known".
// JDBC's driver casts to these types and fails at a missing id.
func sqlInfo(cfg Config) map[uint32]any {
	info := map[uint32]any{
		uint32(fsql.SqlInfoFlightSqlServerName):                                 "flightsrv",
		uint32(fsql.SqlInfoFlightSqlServerVersion):                              cfg.Version,
		uint32(fsql.SqlInfoFlightSqlServerArrowVersion):                         arrow.PkgVersion,
		uint32(fsql.SqlInfoFlightSqlServerReadOnly):                             cfg.Views == nil,
		uint32(fsql.SqlInfoFlightSqlServerSql):                                  true,
		uint32(fsql.SqlInfoFlightSqlServerSubstrait):                            false,
		uint32(fsql.SqlInfoFlightSqlServerSubstraitMinVersion):                  "",
		uint32(fsql.SqlInfoFlightSqlServerSubstraitMaxVersion):                  "",
		uint32(fsql.SqlInfoFlightSqlServerTransaction):                          int32(fsql.SqlTransactionNone),
		uint32(fsql.SqlInfoFlightSqlServerCancel):                               true,
		uint32(fsql.SqlInfoFlightSqlServerBulkIngestion):                        false,
		uint32(fsql.SqlInfoFlightSqlServerIngestTransactionsSupported):          false,
		uint32(fsql.SqlInfoFlightSqlServerStatementTimeout):                     int32(preparedIdle.Milliseconds()),
		uint32(fsql.SqlInfoFlightSqlServerTransactionTimeout):                   int32(0),
		uint32(fsql.SqlInfoDDLCatalog):                                          false,
		uint32(fsql.SqlInfoDDLSchema):                                           false,
		uint32(fsql.SqlInfoDDLTable):                                            false,
		uint32(fsql.SqlInfoIdentifierCase):                                      int32(fsql.SqlCaseSensitivityCaseInsensitive),
		uint32(fsql.SqlInfoIdentifierQuoteChar):                                 `"`,
		uint32(fsql.SqlInfoQuotedIdentifierCase):                                int32(fsql.SqlCaseSensitivityUnknown),
		uint32(fsql.SqlInfoAllTablesAreASelectable):                             true,
		uint32(fsql.SqlInfoNullOrdering):                                        int32(fsql.SqlNullOrderingSortAtEnd),
		uint32(fsql.SqlInfoKeywords):                                            keywords,
		uint32(fsql.SqlInfoNumericFunctions):                                    numericFunctions,
		uint32(fsql.SqlInfoStringFunctions):                                     stringFunctions,
		uint32(fsql.SqlInfoSystemFunctions):                                     systemFunctions,
		uint32(fsql.SqlInfoDateTimeFunctions):                                   datetimeFunctions,
		uint32(fsql.SqlInfoSearchStringEscape):                                  `\`,
		uint32(fsql.SqlInfoExtraNameChars):                                      "",
		uint32(fsql.SqlInfoSupportsColumnAliasing):                              true,
		uint32(fsql.SqlInfoNullPlusNullIsNull):                                  true,
		uint32(fsql.SqlInfoSupportsConvert):                                     conversions(),
		uint32(fsql.SqlInfoSupportsTableCorrelationNames):                       true,
		uint32(fsql.SqlInfoSupportsDifferentTableCorrelationNames):              false,
		uint32(fsql.SqlInfoSupportsExpressionsInOrderBy):                        true,
		uint32(fsql.SqlInfoSupportsOrderByUnrelated):                            true,
		uint32(fsql.SqlInfoSupportedGroupBy):                                    bit0 | bit1,
		uint32(fsql.SqlInfoSupportsLikeEscapeClause):                            true,
		uint32(fsql.SqlInfoSupportsNonNullableColumns):                          true,
		uint32(fsql.SqlInfoSupportedGrammar):                                    bit0 | bit1,
		uint32(fsql.SqlInfoANSI92SupportedLevel):                                bit0,
		uint32(fsql.SqlInfoSupportsIntegrityEnhancementFacility):                false,
		uint32(fsql.SqlInfoOuterJoinsSupportLevel):                              bit1 | bit2,
		uint32(fsql.SqlInfoSchemaTerm):                                          "schema",
		uint32(fsql.SqlInfoProcedureTerm):                                       "procedure",
		uint32(fsql.SqlInfoCatalogTerm):                                         "catalog",
		uint32(fsql.SqlInfoCatalogAtStart):                                      true,
		uint32(fsql.SqlInfoSchemasSupportedActions):                             bit0 | bit1 | bit2,
		uint32(fsql.SqlInfoCatalogsSupportedActions):                            bit0 | bit1 | bit2,
		uint32(fsql.SqlInfoSupportedPositionedCommands):                         int32(0),
		uint32(fsql.SqlInfoSelectForUpdateSupported):                            false,
		uint32(fsql.SqlInfoStoredProceduresSupported):                           false,
		uint32(fsql.SqlInfoSupportedSubqueries):                                 bit0 | bit1 | bit2 | bit3,
		uint32(fsql.SqlInfoCorrelatedSubqueriesSupported):                       true,
		uint32(fsql.SqlInfoSupportedUnions):                                     bit0 | bit1,
		uint32(fsql.SqlInfoMaxRowSizeIncludesBlobs):                             true,
		uint32(fsql.SqlInfoDefaultTransactionIsolation):                         int64(0), // the one ordinal that drivers read as bigint
		uint32(fsql.SqlInfoTransactionsSupported):                               false,
		uint32(fsql.SqlInfoSupportedTransactionsIsolationlevels):                bit0,
		uint32(fsql.SqlInfoDataDefinitionCausesTransactionCommit):               false,
		uint32(fsql.SqlInfoDataDefinitionsInTransactionsIgnored):                false,
		uint32(fsql.SqlInfoSupportedResultSetTypes):                             bit1,
		uint32(fsql.SqlInfoSupportedConcurrenciesForResultSetUnspecified):       int32(0),
		uint32(fsql.SqlInfoSupportedConcurrenciesForResultSetForwardOnly):       bit1,
		uint32(fsql.SqlInfoSupportedConcurrenciesForResultSetScrollSensitive):   int32(0),
		uint32(fsql.SqlInfoSupportedConcurrenciesForResultSetScrollInsensitive): int32(0),
		uint32(fsql.SqlInfoBatchUpdatesSupported):                               false,
		uint32(fsql.SqlInfoSavePointsSupported):                                 false,
		uint32(fsql.SqlInfoNamedParametersSupported):                            false,
		uint32(fsql.SqlInfoLocatorsUpdateCopy):                                  false,
		uint32(fsql.SqlInfoStoredFunctionsUsingCallSyntaxSupported):             false,
	}
	for id := fsql.SqlInfoMaxBinaryLiteralLen; id <= fsql.SqlInfoMaxUsernameLen; id++ {
		if id != fsql.SqlInfoMaxRowSizeIncludesBlobs {
			info[uint32(id)] = int64(0)
		}
	}
	info[uint32(fsql.SqlInfoMaxStatementLen)] = int64(planner.MaxTextBytes)
	return info
}

// The words that are reserved beyond those of SQL:2003, which is what JDBC's getSQLKeywords tells.
var keywords = []string{
	"ANALYZE", "ANY_MATCH", "ASOF", "DESCRIBE", "EXCLUDE", "EXPLAIN", "FORMAT", "ILIKE", "LIMIT", "OFFSET", "QUALIFY", "RESET", "SHOW", "USE",
}

// The function lists name what JDBC's escape syntax and BI tools look for, by the names of the engine.
var (
	numericFunctions = []string{
		"ABS", "ACOS", "ASIN", "ATAN", "ATAN2", "CEIL", "CEILING", "COS", "COT", "DEGREES", "EXP", "FLOOR", "LN", "LOG", "LOG10", "LOG2",
		"MOD", "PI", "POW", "POWER", "RADIANS", "RANDOM", "ROUND", "SIGN", "SIN", "SQRT", "TAN", "TRUNC",
	}
	stringFunctions = []string{
		"ASCII", "CHR", "CONCAT", "LCASE", "LEFT", "LENGTH", "LOWER", "LPAD", "LTRIM", "POSITION", "REGEXP_MATCHES", "REGEXP_REPLACE", "REPEAT",
		"REPLACE", "REVERSE", "RIGHT", "RPAD", "RTRIM", "STARTS_WITH", "STRPOS", "SUBSTR", "SUBSTRING", "TRIM", "UCASE", "UPPER",
	}
	systemFunctions   = []string{"COALESCE", "IFNULL", "NULLIF"}
	datetimeFunctions = []string{
		"CURRENT_DATE", "CURRENT_TIMESTAMP", "DATE_DIFF", "DATE_PART", "DATE_TRUNC", "DAY", "DAYNAME", "DAYOFMONTH", "DAYOFWEEK", "DAYOFYEAR",
		"EXTRACT", "HOUR", "MINUTE", "MONTH", "MONTHNAME", "NOW", "QUARTER", "SECOND", "WEEK", "YEAR",
	}
)

// conversions tells what CAST converts: all plain types to and from text, numbers among each other, dates and
// timestamps among each other.
func conversions() map[int32][]int32 {
	numbers := []fsql.SqlSupportsConvert{
		fsql.SqlConvertBigInt, fsql.SqlConvertDecimal, fsql.SqlConvertFloat, fsql.SqlConvertInteger, fsql.SqlConvertNumeric,
		fsql.SqlConvertReal, fsql.SqlConvertSmallInt, fsql.SqlConvertTinyInt, fsql.SqlConvertBit,
	}
	times := []fsql.SqlSupportsConvert{fsql.SqlConvertDate, fsql.SqlConvertTimestamp}
	out := map[int32][]int32{}
	add := func(from fsql.SqlSupportsConvert, to ...fsql.SqlSupportsConvert) {
		for _, t := range to {
			out[int32(from)] = append(out[int32(from)], int32(t))
		}
	}
	for _, n := range numbers {
		add(n, numbers...)
		add(n, fsql.SqlConvertVarchar)
	}
	for _, t := range times {
		add(t, times...)
		add(t, fsql.SqlConvertVarchar)
	}
	add(fsql.SqlConvertTime, fsql.SqlConvertTime, fsql.SqlConvertVarchar)
	add(fsql.SqlConvertVarbinary, fsql.SqlConvertVarbinary, fsql.SqlConvertVarchar)
	add(fsql.SqlConvertVarchar, numbers...)
	add(fsql.SqlConvertVarchar, times...)
	add(fsql.SqlConvertVarchar, fsql.SqlConvertTime, fsql.SqlConvertVarbinary, fsql.SqlConvertVarchar)
	return out
}

// sqlInfoBatch gives the asked ids in the order asked, all in their order where none is asked. Ids that are not of the
// protocol are left out.
func sqlInfoBatch(info map[uint32]any, ids []uint32, mem memory.Allocator) arrow.RecordBatch {
	if len(ids) == 0 {
		for id := range info {
			ids = append(ids, id)
		}
		sort.Slice(ids, func(i, j int) bool { return ids[i] < ids[j] })
	}
	b := array.NewRecordBuilder(mem, schema_ref.SqlInfo)
	defer b.Release()
	values := b.Field(1).(*array.DenseUnionBuilder)
	for _, id := range ids {
		if v, ok := info[id]; ok {
			b.Field(0).(*array.Uint32Builder).Append(id)
			appendInfo(values, v)
		}
	}
	return b.NewRecordBatch()
}

// appendInfo appends to the member of the union that the Go type stands for.
// Source: Flight SQL, CommandGetSqlInfo (schema of the answer).
func appendInfo(u *array.DenseUnionBuilder, v any) {
	switch v := v.(type) {
	case string:
		u.Append(0)
		u.Child(0).(*array.StringBuilder).Append(v)
	case bool:
		u.Append(1)
		u.Child(1).(*array.BooleanBuilder).Append(v)
	case int64:
		u.Append(2)
		u.Child(2).(*array.Int64Builder).Append(v)
	case int32:
		u.Append(3)
		u.Child(3).(*array.Int32Builder).Append(v)
	case []string:
		u.Append(4)
		l := u.Child(4).(*array.ListBuilder)
		l.Append(true)
		l.ValueBuilder().(*array.StringBuilder).AppendValues(v, nil)
	case map[int32][]int32:
		u.Append(5)
		appendConversions(u.Child(5).(*array.MapBuilder), v)
	}
}

func appendConversions(m *array.MapBuilder, v map[int32][]int32) {
	keys := make([]int32, 0, len(v))
	for k := range v {
		keys = append(keys, k)
	}
	sort.Slice(keys, func(i, j int) bool { return keys[i] < keys[j] })
	m.Append(true)
	items := m.ItemBuilder().(*array.ListBuilder)
	for _, k := range keys {
		m.KeyBuilder().(*array.Int32Builder).Append(k)
		items.Append(true)
		items.ValueBuilder().(*array.Int32Builder).AppendValues(v[k], nil)
	}
}
