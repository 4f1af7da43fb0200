package flightsql_test

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/apache/arrow-go/v18/arrow/flight"
	fsql "github.com/apache/arrow-go/v18/arrow/flight/flightsql"
	"google.golang.org/grpc/metadata"
	"google.golang.org/protobuf/proto"

	"github.com/lanceflight/flightsrv/catalog"
	"github.com/lanceflight/flightsrv/objstore"
)

// manyTables makes a folder of so many tables, t_00000 and so on, each a four-row table with the n-d array lat.
func manyTables(t testing.TB, n int) string {
	t.Helper()
	dir := t.TempDir()
	source := filepath.Join("..", "testdata", "demo", "worked.lance")
	first := filepath.Join(dir, "t_00000.lance")
	if err := os.CopyFS(first, os.DirFS(source)); err != nil {
		t.Fatal(err)
	}
	for i := 1; i < n; i++ {
		if err := linkTree(first, filepath.Join(dir, fmt.Sprintf("t_%05d.lance", i))); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// linkTree makes a folder of the same files.
func linkTree(from, to string) error {
	entries, err := os.ReadDir(from)
	if err == nil {
		err = os.MkdirAll(to, 0o755)
	}
	for _, e := range entries {
		if err != nil {
			return err
		}
		if e.IsDir() {
			err = linkTree(filepath.Join(from, e.Name()), filepath.Join(to, e.Name()))
		} else {
			err = os.Link(filepath.Join(from, e.Name()), filepath.Join(to, e.Name()))
		}
	}
	return err
}

// opened are the tables of which an object was opened.
type opened struct {
	mu     sync.Mutex
	tables map[string]bool
}

func (o *opened) openStore(uri string) (objstore.Store, error) {
	s, err := objstore.Open(uri)
	return &objstore.Faulty{Store: s, OnOpen: func(name string) error {
		o.mu.Lock()
		defer o.mu.Unlock()
		table, _, _ := strings.Cut(name, "/")
		o.tables[strings.TrimSuffix(table, ".lance")] = true
		return nil
	}}, err
}

func (o *opened) names() []string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return slices.Sorted(maps.Keys(o.tables))
}

// TestFilteredListingsOpenLittle: of many tables a listing opens those that its filter takes, and none where names are all
// that it tells.
func TestFilteredListingsOpenLittle(t *testing.T) {
	dir := manyTables(t, 120)
	plain := context.Background()
	listed := metadata.AppendToOutgoingContext(plain, "x-flightsrv-cells", "listed")
	type run func(c *fsql.Client) (rows int, err error)
	tables := func(ctx context.Context, o *fsql.GetTablesOpts) run {
		return func(c *fsql.Client) (int, error) { return len(tableList(t, ctx, c, o)), nil }
	}
	sql := func(ctx context.Context, text string) run {
		return func(c *fsql.Client) (int, error) {
			info, err := c.Execute(ctx, text)
			if err != nil {
				return 0, err
			}
			rows, _, err := columnOf(ctx, c, info)
			return len(rows), err
		}
	}
	five, ten := []string{"t_00005"}, make([]string, 10)
	for i := range ten {
		ten[i] = fmt.Sprintf("t_%05d", i)
	}
	columns := "SELECT column_name FROM information_schema.columns WHERE "
	for name, tt := range map[string]struct {
		run    run
		rows   int
		opened []string
	}{
		"names":                          {tables(plain, &fsql.GetTablesOpts{}), 120, nil},
		"names by pattern":               {tables(plain, &fsql.GetTablesOpts{TableNameFilterPattern: proto.String("t\\_0000_")}), 10, nil},
		"a table with its schema":        {tables(plain, &fsql.GetTablesOpts{TableNameFilterPattern: proto.String("t_00005"), IncludeSchema: true}), 1, five},
		"the same with cells":            {tables(listed, &fsql.GetTablesOpts{TableNameFilterPattern: proto.String("t_00005%"), IncludeSchema: true}), 2, five},
		"tables alone with cells":        {tables(listed, &fsql.GetTablesOpts{TableTypes: []string{"TABLE"}}), 120, nil},
		"of another schema":              {tables(listed, &fsql.GetTablesOpts{DbSchemaFilterPattern: proto.String("other"), IncludeSchema: true}), 0, nil},
		"of another catalog":             {tables(listed, &fsql.GetTablesOpts{Catalog: proto.String("other"), IncludeSchema: true}), 0, nil},
		"SHOW TABLES":                    {sql(plain, "SHOW TABLES"), 120, nil},
		"SHOW TABLES LIKE with cells":    {sql(listed, "SHOW TABLES LIKE 't_0000%'"), 20, ten},
		"SHOW COLUMNS":                   {sql(plain, "SHOW COLUMNS FROM t_00005"), 2, five},
		"information_schema.tables":      {sql(plain, "SELECT table_name FROM information_schema.tables WHERE table_name LIKE 't%'"), 120, nil},
		"columns of a table":             {sql(plain, columns+"table_name = 't_00005'"), 2, five},
		"columns of a table with cells":  {sql(listed, columns+"table_name = 't_00005'"), 2, five},
		"columns by pattern":             {sql(plain, columns+"table_name LIKE 't_0000%'"), 20, ten},
		"columns by pattern and type":    {sql(plain, columns+"table_name LIKE 't_0000%' AND data_type = 'BIGINT'"), 10, ten},
		"columns by an expression":       {sql(plain, columns+"upper(table_name) IN ('T_00005', 'x')"), 2, five},
		"columns of another schema":      {sql(plain, columns+"table_schema <> 'main'"), 0, nil},
		"views, of which there are none": {sql(plain, "SELECT table_name FROM information_schema.views"), 0, nil},
		"names in pg_class":              {sql(plain, "SELECT relname FROM pg_class WHERE relkind = 'r'"), 120, nil},
		"names in pg_tables":             {sql(plain, "SELECT tablename FROM pg_tables WHERE schemaname ILIKE 'MAIN'"), 120, nil},
		"names by duckdb_tables()":       {sql(plain, "SELECT table_name FROM duckdb_tables() WHERE NOT internal"), 120, nil},
		"views by duckdb_views()":        {sql(plain, "SELECT sql FROM duckdb_views()"), 0, nil},
		"rows of a table":                {sql(plain, "SELECT relname FROM pg_class WHERE relname = 't_00005' AND reltuples > 0"), 1, five},
		"attributes by number":           {sql(plain, "SELECT attname FROM pg_attribute WHERE attrelid = 't_00005'::regclass"), 2, five},
		"columns by duckdb_columns()":    {sql(plain, "SELECT column_name FROM duckdb_columns() WHERE table_name LIKE 't_0000%' AND schema_name = 'main'"), 20, ten},
		"a query":                        {sql(plain, "SELECT id FROM t_00005"), 4, five},
	} {
		t.Run(name, func(t *testing.T) {
			o := &opened{tables: map[string]bool{}} // what one case has opened, the next one's server has not in its cache
			rows, err := tt.run(startOver(t, dir, catalog.Options{OpenStore: o.openStore}))
			if got := o.names(); err != nil || rows != tt.rows || !slices.Equal(got, tt.opened) {
				t.Errorf("%d rows, %v, opened %v; want %d, opened %v", rows, err, got, tt.rows, tt.opened)
			}
		})
	}
}

// BenchmarkListing lists one of ten thousand tables, as tools do for each table that is clicked at.
func BenchmarkListing(b *testing.B) {
	c := startOver(b, manyTables(b, 10_000), catalog.Options{})
	ctx := context.Background()
	for name, ctx := range map[string]context.Context{"tables": ctx, "cells": metadata.AppendToOutgoingContext(ctx, "x-flightsrv-cells", "listed")} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				got, err := listOne(ctx, c, "t_05000")
				if err != nil || got != 1 {
					b.Fatalf("%d, %v", got, err)
				}
			}
		})
	}
}

func listOne(ctx context.Context, c *fsql.Client, name string) (rows int64, err error) {
	info, err := c.GetTables(ctx, &fsql.GetTablesOpts{TableNameFilterPattern: &name, IncludeSchema: true})
	if err != nil {
		return 0, err
	}
	var r *flight.Reader
	if r, err = c.DoGet(ctx, info.GetEndpoint()[0].GetTicket()); err != nil {
		return 0, err
	}
	defer r.Release()
	for r.Next() {
		rows += r.RecordBatch().NumRows()
	}
	return rows, r.Err()
}
