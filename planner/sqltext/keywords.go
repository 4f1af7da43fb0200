package sqltext

import "strings"

// The keywords and their classes are those of DuckDB 1.5 (its table function duckdb_keywords).

// reservedWords can't be a bare name or alias; behind a dot and behind AS of a column they can.
var reservedWords = wordSet(`all analyse analyze and any array as asc asymmetric both case cast check collate column
	constraint create default deferrable desc describe distinct do else end except false fetch for foreign from group
	having in initially intersect into lambda lateral leading limit not null offset on only or order pivot pivot_longer
	pivot_wider placing primary qualify references returning select show some summarize symmetric table then to trailing
	true union unique unpivot using variadic when where window with`)

// functionWords can name a function, but neither a column nor a table.
var functionWords = wordSet(`anti asof at authorization binary by collation concurrently cross freeze full glob ilike
	inner is isnull join left like natural notnull outer overlaps positional right semi similar tablesample unpack verbose`)

// plainWords are the other keywords: they name anything, but are no alias of a column without AS.
var plainWords = wordSet(`between bigint bit boolean char character coalesce columns dec decimal exists extract float
	generated grouping grouping_id inout int integer interval map national nchar none nullif numeric out overlay position
	precision real row setof smallint struct substring time timestamp treat trim try_cast values varchar xmlattributes
	xmlconcat xmlelement xmlexists xmlforest xmlnamespaces xmlparse xmlpi xmlroot xmlserialize xmltable
	abort absolute access action add admin after aggregate also alter always assertion assignment attach attribute
	backward before begin cache call called cascade cascaded catalog centuries century chain characteristics checkpoint
	class close cluster comment comments commit committed compression configuration conflict connection constraints
	content continue conversion copy cost csv cube current cursor cycle data database day days deallocate decade decades
	declare defaults deferred definer delete delimiter delimiters depends detach dictionary disable discard document
	domain double drop each enable encoding encrypted enum error escape event exclude excluding exclusive execute explain
	export export_state extension extensions external family filter first following force forward function functions
	global grant granted groups handler header hold hour hours identity if ignore immediate immutable implicit import
	include including increment index indexes inherit inherits inline input insensitive insert install instead invoker
	isolation json key label language large last leakproof level listen load local location lock locked logged macro
	mapping match matched materialized maxvalue merge method microsecond microseconds millennia millennium millisecond
	milliseconds minute minutes minvalue mode month months move name names new next no nothing notify nowait nulls object
	of off oids old operator option options ordinality others over overriding owned owner parallel parser partial
	partition partitioned passing password percent persistent plans policy pragma preceding prepare prepared preserve
	prior privileges procedural procedure program publication quarter quarters quote range read reassign recheck
	recursive ref referencing refresh reindex relative release rename repeatable replace replica reset respect restart
	restrict returns revoke role rollback rollup rows rule sample savepoint schema schemas scope scroll search second
	seconds secret security sequence sequences serializable server session set sets share simple skip snapshot sorted
	source sql stable standalone start statement statistics stdin stdout storage stored strict strip subscription sysid
	system tables tablespace target temp template temporary text ties transaction transform trigger truncate trusted type
	types unbounded uncommitted unencrypted unknown unlisten unlogged until update use user vacuum valid validate
	validator value variable varying version view views virtual volatile week weeks whitespace within without work
	wrapper write xml year years yes zone`)

func wordSet(words string) map[string]bool {
	set := make(map[string]bool)
	for w := range strings.FieldsSeq(words) {
		set[w] = true
	}
	return set
}

// namesColumn tells whether the bare word can be a column, table or table alias.
func namesColumn(word string) bool { return !reservedWords[word] && !functionWords[word] }

// noFunctions are keywords that name columns, but no function.
var noFunctions = wordSet(`between bigint bit boolean char character dec decimal exists float inout int integer national
	nchar none numeric out precision real setof smallint time timestamp values varchar xmlattributes xmlconcat xmlelement
	xmlexists operator`)

// namesFunction tells whether the bare word can be a function's name.
func namesFunction(word string) bool { return !reservedWords[word] && !noFunctions[word] }

// bareAlias tells whether the word can be a column's alias without AS.
func bareAlias(word string) bool { return namesColumn(word) && !plainWords[word] }

// intervalUnits maps the spellings of units to the one used in the tree.
var intervalUnits = map[string]string{
	"year": "YEAR", "years": "YEAR", "month": "MONTH", "months": "MONTH", "day": "DAY", "days": "DAY",
	"hour": "HOUR", "hours": "HOUR", "minute": "MINUTE", "minutes": "MINUTE", "second": "SECOND", "seconds": "SECOND",
	"millisecond": "MILLISECOND", "milliseconds": "MILLISECOND", "microsecond": "MICROSECOND", "microseconds": "MICROSECOND",
	"week": "WEEK", "weeks": "WEEK", "quarter": "QUARTER", "quarters": "QUARTER", "decade": "DECADE", "decades": "DECADE",
	"century": "CENTURY", "centuries": "CENTURY", "millennium": "MILLENNIUM", "millennia": "MILLENNIUM",
}
