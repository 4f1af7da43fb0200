package catalog

import (
	"context"
	"slices"

	"github.com/apache/arrow-go/v18/arrow"
	"golang.org/x/sync/errgroup"

	"github.com/lanceflight/flightsrv/errs"
	"github.com/lanceflight/flightsrv/expr"
	"github.com/lanceflight/flightsrv/memtable"
	"github.com/lanceflight/flightsrv/scan"
)

// parallelTables is how many tables are opened at once for their columns.
const parallelTables = 16

// labels are what a table that describes others calls its columns of their names and numbers.
type labels struct{ catalog, schema, schemaOID, table, tableOID string }

var (
	standard = labels{catalog: "table_catalog", schema: "table_schema", table: "table_name"}
	numbered = labels{"database_name", "schema_name", "schema_oid", "table_name", "table_oid"}
)

// schemaName is a schema by its name; system tells that it describes the catalog.
type schemaName struct {
	root   *root
	name   string
	system bool
}

// allSchemas gives the schemas of catalogs, with those that describe them.
func allSchemas(ctx context.Context, in []*root) ([]schemaName, error) {
	var out []schemaName
	for _, r := range in {
		names, err := r.schemas(ctx)
		if err != nil {
			return nil, err
		}
		for _, n := range names {
			out = append(out, schemaName{root: r, name: n})
		}
		for _, n := range []string{InformationSchema, PgCatalog} {
			out = append(out, schemaName{root: r, name: n, system: true})
		}
	}
	return out, nil
}

// relation is a table or view by its name.
type relation struct {
	root         *root
	schema, name string
	view         bool
}

func (n relation) ref() scan.TableRef {
	return scan.TableRef{Catalog: n.root.name, Schema: n.schema, Table: n.name}
}

// relationsOf gives each table and view of catalogs that is admitted, sorted by schema and name within each.
func relationsOf(ctx context.Context, in []*root, only memtable.Only, l labels) ([]relation, error) {
	var out []relation
	for _, r := range in {
		if len(memtable.Pick(only, l.catalog, []string{r.name})) == 0 {
			continue
		}
		schemas, err := r.schemas(ctx)
		if err != nil {
			return nil, err
		}
		for _, s := range admitted(only, l.schema, l.schemaOID, schemas, r.name) {
			pick := func(names []string) []string { return admitted(only, l.table, l.tableOID, names, r.name, s) }
			names, err := r.listed(ctx, s, pick)
			if err != nil {
				return nil, err
			}
			for _, n := range pick(names.all()) {
				_, isTable := slices.BinarySearch(names.tables, n)
				out = append(out, relation{root: r, schema: s, name: n, view: !isTable})
			}
		}
	}
	return out, nil
}

// admitted gives those of the names below a path that a scan has a use for, by themselves and by their numbers.
func admitted(only memtable.Only, column, oidColumn string, names []string, path ...string) []string {
	var oids []int64
	byOID := map[int64]string{}
	for _, n := range memtable.Pick(only, column, names) {
		oid := scan.OID(append(path[:len(path):len(path)], n)...)
		oids, byOID[oid] = append(oids, oid), n
	}
	var out []string
	for _, oid := range memtable.Pick(only, oidColumn, oids) {
		out = append(out, byOID[oid])
	}
	return out
}

// definition is the query of a view; nil where it can't be read.
func (n relation) definition(ctx context.Context, a access) any {
	src, err := a.open(ctx, n.ref())
	if err != nil {
		return nil
	}
	if v, ok := src.(*scan.View); ok {
		return v.Query
	}
	if of, ok := cutFold(n.name, CellsSuffix); ok {
		return cellsQuery(expr.FieldPath{n.root.name, n.schema, of})
	}
	return nil
}

// openedOf is relationsOf with the columns of each. One that can't be read has none, and hides none of the others.
func openedOf(ctx context.Context, in []*root, only memtable.Only, l labels, a access) ([]relation, []*arrow.Schema, error) {
	all, err := relationsOf(ctx, in, only, l)
	if err != nil {
		return nil, nil, err
	}
	out := make([]*arrow.Schema, len(all))
	return all, out, eachOf(ctx, all, func(ctx context.Context, i int) {
		schema, err := a.schema(ctx, all[i].ref())
		if err != nil {
			schema = arrow.NewSchema(nil, nil)
		}
		out[i] = schema
	})
}

// eachOf does something with all relations, some at a time.
func eachOf(ctx context.Context, all []relation, do func(ctx context.Context, i int)) error {
	g, gctx := errgroup.WithContext(ctx)
	g.SetLimit(parallelTables)
	for i := range all {
		g.Go(func() (err error) {
			defer errs.Contain(&err)
			do(gctx, i)
			return gctx.Err()
		})
	}
	return g.Wait()
}
