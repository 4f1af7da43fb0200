package flightsql_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/flight"
	fsql "github.com/apache/arrow-go/v18/arrow/flight/flightsql"
	pb "github.com/apache/arrow-go/v18/arrow/flight/gen/flight"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// rowsOf gives the rows of a metadata command, each as its columns joined by '/'.
func rowsOf(t *testing.T, f *fixture, info *flight.FlightInfo, err error) []string {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	r, err := f.client.DoGet(context.Background(), info.GetEndpoint()[0].GetTicket())
	if err != nil {
		t.Fatal(err)
	}
	defer r.Release()
	out := []string{}
	for r.Next() {
		b := r.RecordBatch()
		for i := range int(b.NumRows()) {
			var row []string
			for _, c := range b.Columns() {
				row = append(row, c.ValueStr(i))
			}
			out = append(out, strings.Join(row, "/"))
		}
	}
	if r.Err() != nil {
		t.Fatal(r.Err())
	}
	return out
}

func TestGetTables(t *testing.T) {
	f := start(t)
	all := []string{
		"alt/main/people/TABLE", "lance/geo/obs/TABLE", "lance/geo/people/TABLE", "lance/main/Mixed Case/TABLE",
		"lance/main/broken/TABLE", "lance/main/people/TABLE", "lance/main/withXmap/TABLE", "lance/main/with_map/TABLE",
	}
	tests := map[string]struct {
		opts *fsql.GetTablesOpts
		want []string
	}{
		"all":                {&fsql.GetTablesOpts{}, all},
		"percent":            {&fsql.GetTablesOpts{DbSchemaFilterPattern: ptr("%"), TableNameFilterPattern: ptr("%")}, all},
		"catalog":            {&fsql.GetTablesOpts{Catalog: ptr("alt")}, all[:1]},
		"catalog is exact":   {&fsql.GetTablesOpts{Catalog: ptr("l%")}, nil},
		"empty catalog":      {&fsql.GetTablesOpts{Catalog: ptr("")}, nil},
		"empty schema":       {&fsql.GetTablesOpts{DbSchemaFilterPattern: ptr("")}, nil},
		"empty name":         {&fsql.GetTablesOpts{TableNameFilterPattern: ptr("")}, nil},
		"schema pattern":     {&fsql.GetTablesOpts{DbSchemaFilterPattern: ptr("g_o")}, all[1:3]},
		"underscore":         {&fsql.GetTablesOpts{TableNameFilterPattern: ptr("_eople")}, []string{all[0], all[2], all[5]}},
		"underscore in name": {&fsql.GetTablesOpts{TableNameFilterPattern: ptr("with_map")}, all[6:8]},
		"escaped underscore": {&fsql.GetTablesOpts{TableNameFilterPattern: ptr(`with\_map`)}, all[7:8]},
		"other case":         {&fsql.GetTablesOpts{TableNameFilterPattern: ptr("PEOPLE")}, nil},
		"tables":             {&fsql.GetTablesOpts{Catalog: ptr("alt"), TableTypes: []string{"VIEW", "TABLE"}}, all[:1]},
		"views":              {&fsql.GetTablesOpts{TableTypes: []string{"VIEW"}}, nil},
		"lower case type":    {&fsql.GetTablesOpts{TableTypes: []string{"table"}}, nil},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			info, err := f.client.GetTables(context.Background(), tt.opts)
			if got := rowsOf(t, f, info, err); !slices.Equal(got, tt.want) {
				t.Errorf("got  %q\nwant %q", got, tt.want)
			}
		})
	}
}

func TestGetSchemasAndCatalogs(t *testing.T) {
	f := start(t)
	ctx := context.Background()
	info, err := f.client.GetCatalogs(ctx)
	if got := rowsOf(t, f, info, err); !slices.Equal(got, []string{"alt", "lance"}) {
		t.Errorf("catalogs %q", got)
	}
	tests := map[string]struct {
		opts *fsql.GetDBSchemasOpts
		want []string
	}{
		"all":             {&fsql.GetDBSchemasOpts{}, []string{"alt/main", "lance/geo", "lance/main"}},
		"catalog":         {&fsql.GetDBSchemasOpts{Catalog: ptr("lance")}, []string{"lance/geo", "lance/main"}},
		"pattern":         {&fsql.GetDBSchemasOpts{DbSchemaFilterPattern: ptr("m%n")}, []string{"alt/main", "lance/main"}},
		"empty catalog":   {&fsql.GetDBSchemasOpts{Catalog: ptr("")}, nil},
		"unknown catalog": {&fsql.GetDBSchemasOpts{Catalog: ptr("nope")}, nil},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			info, err := f.client.GetDBSchemas(ctx, tt.opts)
			if got := rowsOf(t, f, info, err); !slices.Equal(got, tt.want) {
				t.Errorf("got  %q\nwant %q", got, tt.want)
			}
		})
	}
}

func TestTableSchema(t *testing.T) {
	f := start(t)
	ctx := context.Background()
	info, err := f.client.GetTables(ctx, &fsql.GetTablesOpts{Catalog: ptr("lance"), DbSchemaFilterPattern: ptr("main"), IncludeSchema: true})
	if err != nil {
		t.Fatal(err)
	}
	r, err := f.client.DoGet(ctx, info.GetEndpoint()[0].GetTicket())
	if err != nil {
		t.Fatal(err)
	}
	defer r.Release()
	schemas := map[string]*arrow.Schema{}
	for r.Next() {
		b := r.RecordBatch()
		for i := range int(b.NumRows()) {
			s, err := flight.DeserializeSchema(b.Column(4).(*array.Binary).Value(i), memory.DefaultAllocator)
			if err != nil {
				t.Fatal(err)
			}
			schemas[b.Column(2).ValueStr(i)] = s
		}
	}
	if s := schemas["broken"]; s == nil || s.NumFields() != 0 {
		t.Errorf("a broken table: %v", s)
	}
	people := schemas["people"]
	if people == nil || people.NumFields() != 2 {
		t.Fatalf("the stats column is left out: %v", people)
	}
	if people.Field(0).Nullable || !people.Field(1).Nullable {
		t.Errorf("nullability: %v", people)
	}
	want := map[string]string{
		fsql.TypeNameKey: "DECIMAL", fsql.PrecisionKey: "12", fsql.ScaleKey: "2", fsql.CatalogNameKey: "lance", fsql.SchemaNameKey: "main",
		fsql.TableNameKey: "people", fsql.RemarksKey: "in euro", "k": "v",
	}
	for k, v := range want {
		if got, _ := people.Field(1).Metadata.GetValue(k); got != v {
			t.Errorf("%s = %q, want %q", k, got, v)
		}
	}
}

// infoMembers has the union member of each id of SqlInfo, as the comments of Flight SQL's SqlInfo demand; but 562, an
// ordinal there, is what the JDBC driver casts to a long.
func infoMembers() map[int32]string {
	members := map[string][]int32{
		"string_value":            {0, 1, 2, 6, 7, 504, 513, 514, 529, 530, 531},
		"bool_value":              {3, 4, 5, 9, 10, 11, 500, 501, 502, 506, 515, 516, 518, 519, 520, 521, 523, 524, 527, 532, 536, 537, 539, 556, 563, 565, 566, 572, 573, 574, 575, 576},
		"bigint_value":            {541, 542, 543, 544, 545, 546, 547, 548, 549, 550, 551, 552, 553, 554, 555, 557, 558, 559, 560, 561, 562},
		"int32_bitmask":           {8, 100, 101, 503, 505, 507, 522, 525, 526, 528, 533, 534, 535, 538, 540, 564, 567, 568, 569, 570, 571},
		"string_list":             {508, 509, 510, 511, 512},
		"int32_to_int32_list_map": {517},
	}
	out := map[int32]string{}
	for m, ids := range members {
		for _, id := range ids {
			out[id] = m
		}
	}
	return out
}

func TestSqlInfo(t *testing.T) {
	f := start(t)
	ctx := context.Background()
	want := infoMembers()
	read := func(ids ...fsql.SqlInfo) map[uint32]string {
		info, err := f.client.GetSqlInfo(ctx, ids)
		if err != nil {
			t.Fatal(err)
		}
		r, err := f.client.DoGet(ctx, info.GetEndpoint()[0].GetTicket())
		if err != nil {
			t.Fatal(err)
		}
		defer r.Release()
		got := map[uint32]string{}
		for r.Next() {
			ids, values := r.RecordBatch().Column(0).(*array.Uint32), r.RecordBatch().Column(1).(*array.DenseUnion)
			fields := values.UnionType().Fields()
			for i := range int(r.RecordBatch().NumRows()) {
				got[ids.Value(i)] = fields[values.ChildID(i)].Name
			}
		}
		if r.Err() != nil {
			t.Fatal(r.Err())
		}
		return got
	}
	all := read()
	if len(all) != len(pb.SqlInfo_name) || len(all) != 91 {
		t.Errorf("%d ids, the protocol has %d", len(all), len(pb.SqlInfo_name))
	}
	for id := range pb.SqlInfo_name {
		if all[uint32(id)] != want[id] {
			t.Errorf("%s is a %s, want %s", pb.SqlInfo_name[id], all[uint32(id)], want[id])
		}
	}
	if got := read(8, 504, 99999); len(got) != 2 {
		t.Errorf("ids 8, 504 and one that is none: %v", got)
	}
}

func TestXdbcTypeInfo(t *testing.T) {
	f := start(t)
	ctx := context.Background()
	info, err := f.client.GetXdbcTypeInfo(ctx, nil)
	all := rowsOf(t, f, info, err)
	if len(all) < 20 {
		t.Errorf("%d types", len(all))
	}
	for _, row := range all {
		if strings.Count(row, "/") != 18 {
			t.Errorf("not 19 columns: %s", row)
		}
	}
	info, err = f.client.GetXdbcTypeInfo(ctx, ptr(int32(-5)))
	got := rowsOf(t, f, info, err)
	if len(got) != 2 || !strings.HasPrefix(got[0], "BIGINT/-5/19/") || !strings.HasPrefix(got[1], "UBIGINT/-5/20/") {
		t.Errorf("types of code -5: %q", got)
	}
	info, err = f.client.GetXdbcTypeInfo(ctx, ptr(int32(12345)))
	if got := rowsOf(t, f, info, err); len(got) != 0 {
		t.Errorf("types of a code that is none: %q", got)
	}
}

func TestPrimaryKeys(t *testing.T) {
	f := start(t)
	ctx := context.Background()
	text := func(s string) *string { return &s }
	for name, tt := range map[string]struct {
		ref  fsql.TableRef
		want []string
	}{
		"everywhere":      {fsql.TableRef{Table: "people"}, []string{"alt/main/people/id/1/(null)", "lance/geo/people/id/1/(null)", "lance/main/people/id/1/(null)"}},
		"one schema":      {fsql.TableRef{Catalog: text("lance"), DBSchema: text("geo"), Table: "people"}, []string{"lance/geo/people/id/1/(null)"}},
		"another case":    {fsql.TableRef{Catalog: text("lance"), DBSchema: text("main"), Table: "mixed case"}, []string{"lance/main/Mixed Case/id/1/(null)"}},
		"no such table":   {fsql.TableRef{Table: "nope"}, nil},
		"no pattern":      {fsql.TableRef{Table: "peopl_"}, nil},
		"without catalog": {fsql.TableRef{Catalog: text(""), Table: "people"}, nil},
	} {
		info, err := f.client.GetPrimaryKeys(ctx, tt.ref)
		got := rowsOf(t, f, info, err)
		if !slices.Equal(got, tt.want) {
			t.Errorf("%s: %q, want %q", name, got, tt.want)
		}
	}
	info, err := f.client.GetPrimaryKeys(ctx, fsql.TableRef{Table: "broken"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.client.DoGet(ctx, info.GetEndpoint()[0].GetTicket()); status.Code(err) != codes.DataLoss {
		t.Errorf("a table that can't be read: %v", err)
	}
}
