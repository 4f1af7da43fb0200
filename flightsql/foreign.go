package flightsql

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/lanceflight/flightsrv/errs"
	"github.com/lanceflight/flightsrv/planner"
)

// foreignSetting is a setting of PostgreSQL or MySQL that drivers and pools make when they connect. SET takes the values that mean
// what happens anyway, and changes nothing.
type foreignSetting struct {
	value   string // what SHOW gives
	accepts func(value string) bool
	what    string // what happens, for who asks for something else
}

func oneOf(values ...string) func(string) bool {
	return func(v string) bool { return slices.Contains(values, strings.ToLower(v)) }
}

// Source: PostgreSQL manual, client connection defaults; MySQL manual, server system variables.
var foreignSettings = map[string]foreignSetting{
	"application_name":              {"", func(string) bool { return true }, ""},
	"autocommit":                    {"on", oneOf("on", "1", "true"), "each statement stands for itself"},
	"client_encoding":               {"UTF8", oneOf("utf8", "utf-8", "unicode", "utf8mb4"), "all texts are UTF-8"},
	"datestyle":                     {"ISO, YMD", isISO, "dates are written and read as 2024-01-31"},
	"default_transaction_isolation": {"read committed", oneOf("read committed", "read uncommitted"), "each statement reads the newest versions, which is READ COMMITTED"},
	"default_table_access_method":   {"lance", oneOf("lance"), "all tables are Lance tables"},
	"extra_float_digits":            {"1", oneOf("1", "2", "3"), "numbers are written with all their digits"},
	"lock_timeout":                  {"0", oneOf("0"), "nothing is locked"},
	"standard_conforming_strings":   {"on", oneOf("on", "1", "true", "yes"), "a backslash in a text stands for itself"},
	"statement_timeout":             {"0", oneOf("0"), "a call's own deadline bounds a statement"},
	"transaction_isolation":         {"read committed", oneOf("read committed", "read uncommitted"), "each statement reads the newest versions, which is READ COMMITTED"},
}

// isISO accepts styles of dates that write them as ISO 8601 does; how dates are read that begin with a day or a month makes no
// difference where none are.
func isISO(value string) bool {
	style, order, _ := strings.Cut(strings.ToLower(value), ",")
	return strings.TrimSpace(style) == "iso" && oneOf("", "mdy", "dmy", "ymd")(strings.TrimSpace(order))
}

// setForeign runs SET or RESET of a foreign setting; false where the name is none.
func setForeign(set *planner.Set) (bool, error) {
	f, ok := foreignSettings[set.Name]
	if !ok {
		return false, nil
	}
	value := strings.Join(set.Values, ", ")
	if !set.Reset && !f.accepts(value) {
		return true, errs.Invalidf("SET %s to %q: %s", set.Name, value, f.what)
	}
	return true, nil
}

// setting gives an option or foreign setting by its name.
func (s settings) setting(name string) (string, bool) {
	if f, ok := foreignSettings[name]; ok {
		return f.value, true
	}
	switch {
	case name == searchPath:
		return s.Schema, true
	case slices.Contains(optionNames, name):
		return s.get(name), true
	}
	return "", false
}

// searchPath is PostgreSQL's name of the schemas that names without one are looked for in; here there is one.
const searchPath = "search_path"

// schemaOfPath gives the one schema of a search path that is there. PostgreSQL passes over those that are not.
func schemaOfPath(path, schemas []string) (string, error) {
	var found []string
	for _, p := range path {
		if got, ok := nameIn(schemas, p); ok && !slices.Contains(found, got) {
			found = append(found, got)
		}
	}
	switch len(found) {
	case 0:
		return "", errs.NotFoundf("no schema of %s; there are %s", strings.Join(quoted(path), ", "), strings.Join(schemas, ", "))
	case 1:
		return found[0], nil
	}
	return "", errs.Invalidf("a search path of several schemas is not supported: names without a schema are looked for in one")
}

func quoted(names []string) []string {
	out := make([]string, len(names))
	for i, n := range names {
		out[i] = strconv.Quote(n)
	}
	return out
}

// noOption is the error for the name of an option that is not there.
func noOption(name string) error {
	return errs.Invalidf("no option %q; there are %s, and for tools that set them %s", name, strings.Join(optionNames, ", "),
		strings.Join(append(slices.Sorted(maps.Keys(foreignSettings)), searchPath), ", "))
}
