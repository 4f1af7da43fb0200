package flightsql_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow/flight"
	fsql "github.com/apache/arrow-go/v18/arrow/flight/flightsql"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
)

// asks runs statements over one connection, with or without a session.
type asks struct {
	t   *testing.T
	c   *fsql.Client
	ctx context.Context
}

func asking(t *testing.T, c *fsql.Client) asks { return asks{t, c, context.Background()} }

// inSession gives the same with a session of its own.
func (a asks) inSession() asks {
	a.t.Helper()
	var header metadata.MD
	if _, err := a.c.SetSessionOptions(a.ctx, &flight.SetSessionOptionsRequest{}, grpc.Header(&header)); err != nil {
		a.t.Fatal(err)
	}
	cookie, _, _ := strings.Cut(header.Get("set-cookie")[0], ";")
	a.ctx = metadata.AppendToOutgoingContext(a.ctx, "cookie", cookie)
	return a
}

// first gives the first column of a statement's answer.
func (a asks) first(sql string) ([]string, error) {
	info, err := a.c.Execute(a.ctx, sql)
	if err != nil {
		return nil, err
	}
	out, _, err := columnOf(a.ctx, a.c, info)
	return out, err
}

func (a asks) want(sql string, want ...string) {
	a.t.Helper()
	if got, err := a.first(sql); err != nil || !slices.Equal(got, want) {
		a.t.Errorf("%s: %q, %v; want %q", sql, got, err, want)
	}
}

func (a asks) refused(sql string, code codes.Code, parts ...string) {
	a.t.Helper()
	got, err := a.first(sql)
	if status.Code(err) != code {
		a.t.Errorf("%s: %q, %v; want %v", sql, got, err, code)
		return
	}
	for _, p := range parts {
		if !strings.Contains(err.Error(), p) {
			a.t.Errorf("%s: %v; want %q in it", sql, err, p)
		}
	}
}

// TestForeignSettings sets what drivers and pools set when they connect.
func TestForeignSettings(t *testing.T) {
	a := asking(t, startReal(t))
	for _, sql := range []string{
		"SET application_name = 'a tool'", "SET client_encoding TO 'UTF8'", "SET NAMES 'utf8'", "SET NAMES utf8mb4", "SET extra_float_digits = 3", "SET default_table_access_method = lance",
		"SET standard_conforming_strings = on", "SET DateStyle = 'ISO, MDY'", "SET DateStyle TO ISO, DMY", "SET SESSION datestyle = iso", "SET autocommit = 1",
		"SET statement_timeout = 0", "SET default_transaction_isolation = 'read committed'", "SET TRANSACTION ISOLATION LEVEL READ COMMITTED",
		"SET TRANSACTION READ ONLY", "SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED, READ WRITE",
		"SET SESSION CHARACTERISTICS AS TRANSACTION ISOLATION LEVEL READ UNCOMMITTED", "RESET ALL", "DISCARD ALL", "RESET datestyle",
		"SET extra_float_digits TO DEFAULT", "DROP VIEW IF EXISTS nothing", "DROP VIEW IF EXISTS geo.nothing",
	} {
		a.want(sql)
	}
	a.want("SHOW TRANSACTION ISOLATION LEVEL", "read committed")
	a.want("SHOW search_path", "main")
	a.want("SHOW client_encoding", "UTF8")
	a.want("SHOW DateStyle", "ISO, YMD")
	a.want("SELECT current_setting('TimeZone') FROM worked LIMIT 1", "UTC")
	a.want("SELECT current_setting('search_path') FROM worked LIMIT 1", "main")
	a.want("SELECT coalesce(current_setting('no_such', true), 'none') FROM worked LIMIT 1", "none")
	a.want("SELECT @@autocommit FROM worked LIMIT 1", "1")
	a.want("SELECT @@session.transaction_isolation FROM worked LIMIT 1", "READ-COMMITTED")
	a.want("SELECT @@time_zone FROM worked LIMIT 1", "UTC")
}

func TestForeignSettingsRefused(t *testing.T) {
	a := asking(t, startReal(t)).inSession()
	for sql, parts := range map[string][]string{
		"SET client_encoding = 'LATIN1'":                   {"all texts are UTF-8", "(line 1, column 5)"},
		"SET NAMES 'latin1'":                               {"all texts are UTF-8", "(line 1, column 5)"},
		"SET extra_float_digits = 0":                       {"all their digits"},
		"SET standard_conforming_strings = off":            {"backslash"},
		"SET DateStyle = 'SQL, DMY'":                       {"2024-01-31"},
		"SET DateStyle = 'German'":                         {"2024-01-31"},
		"SET autocommit = 0":                               {"stands for itself"},
		"SET statement_timeout = 5000":                     {"deadline"},
		"SET default_transaction_isolation = serializable": {"READ COMMITTED"},
		"SET TRANSACTION ISOLATION LEVEL SERIALIZABLE":     {"READ COMMITTED", "(line 1, column 17)"},
		"SET TRANSACTION SNAPSHOT 'x'":                     {"(line 1, column 17)"},
		"SET TRANSACTION":                                  {"(line 1, column 16)"},
		"SET GLOBAL timezone = 'UTC'":                      {"SET GLOBAL is not supported", "(line 1, column 5)"},
		"RESET GLOBAL timezone":                            {"RESET GLOBAL is not supported", "(line 1, column 7)"},
		"SET no_such = 1":                                  {`no option "no_such"`, "(line 1, column 5)"},
		"RESET no_such":                                    {`no option "no_such"`, "(line 1, column 7)"},
		"SHOW no_such":                                     {`no option "no_such"`, "(line 1, column 6)"},
		"SET timezone = 'Nowhere/Land'":                    {"no time zone", "(line 1, column 5)"},
		"SET timezone = ''":                                {"timezone can't be empty", "(line 1, column 5)"},
		"SET partitions TO ''":                             {"partitions can't be empty", "(line 1, column 5)"},
		"SET timezone = 'UTC', 'Asia/Tokyo'":               {"one value"},
		"SELECT current_setting('no_such')":                {"(line 1, column 24)"},
		"SELECT current_setting(id) FROM worked":           {"(line 1, column 8)"},
		"SELECT @@autocomit":                               {`did you mean "autocommit"?`, "(line 1, column 8)"},
		"DISCARD PLANS":                                    {"ALL expected", "(line 1, column 9)"},
	} {
		a.refused(sql, codes.InvalidArgument, parts...)
	}
	a.refused("SET search_path = no_such, public", codes.NotFound, `no schema of "no_such", "public"`, "(line 1, column 5)")
	a.refused("SET schema = no_such", codes.NotFound, "(line 1, column 5)")
	a.refused("USE no_such", codes.NotFound, "(line 1, column 5)")
	a.refused("SHOW COLUMNS FROM workd", codes.NotFound, "(line 1, column 19)")
	a.refused("DESCRIBE workd", codes.NotFound, "(line 1, column 10)")
	a.refused("SHOW TABLES FROM no_such", codes.NotFound, "(line 1, column 18)")
	a.refused("DROP VIEW nothing", codes.NotFound, "(line 1, column 11)")
	a.refused("DROP VIEW IF EXISTS worked", codes.InvalidArgument, "is a table, no view", "(line 1, column 21)")
	a.refused("CREATE VIEW worked AS SELECT 1", codes.AlreadyExists, "there is a table", "(line 1, column 13)")
	a.refused("CREATE VIEW fresh AS SELECT 1", codes.PermissionDenied, "(line 1, column 1)")
}

// TestResetAll takes a session's options and views back to what they were.
func TestResetAll(t *testing.T) {
	a := asking(t, startReal(t, "geo")).inSession()
	set := func() {
		for _, sql := range []string{"SET TIME ZONE 'Asia/Tokyo'", `SET search_path TO "$user", geo, public`, "CREATE OR REPLACE TEMP VIEW ids AS SELECT id FROM main.worked"} {
			a.want(sql)
		}
		a.want("SHOW search_path", "geo")
		a.want("SHOW timezone", "Asia/Tokyo")
	}
	set()
	a.want("RESET ALL")
	a.want("SHOW search_path", "main")
	a.want("SHOW timezone", "UTC")
	a.want("SHOW VIEWS LIKE 'ids'", "ids")
	set()
	a.want("DISCARD ALL")
	a.want("SHOW timezone", "UTC")
	a.want("SHOW VIEWS LIKE 'ids'")
	set()
	a.want("RESET search_path")
	a.want("SHOW schema", "main")
	a.refused("SET search_path = main, geo", codes.InvalidArgument, "several schemas", "(line 1, column 5)")
	a.want("SET search_path = main, main")
}
