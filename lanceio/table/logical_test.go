package table_test

import (
	"errors"
	"strconv"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/lanceflight/flightsrv/errs"
	"github.com/lanceflight/flightsrv/lanceio/internal/pb/filepb"
	"github.com/lanceflight/flightsrv/lanceio/internal/pb/tablepb"
	"github.com/lanceflight/flightsrv/lanceio/table"
)

// TestLogicalTypes holds the types that pylance does not write in testdata's tables, and faulty ones.
func TestLogicalTypes(t *testing.T) {
	fsl := func(n int32, item arrow.DataType) arrow.DataType {
		return arrow.FixedSizeListOfField(n, arrow.Field{Name: "item", Type: item, Nullable: true})
	}
	for _, c := range []struct {
		logical string
		want    arrow.DataType // nil: refused
	}{
		{"blob", arrow.BinaryTypes.LargeBinary},
		{"timestamp:s:-", &arrow.TimestampType{Unit: arrow.Second}},
		{"timestamp:ns:-03:30", &arrow.TimestampType{Unit: arrow.Nanosecond, TimeZone: "-03:30"}},
		{"timestamp:us:Etc/GMT+1", &arrow.TimestampType{Unit: arrow.Microsecond, TimeZone: "Etc/GMT+1"}},
		{"decimal:128:38:-10", &arrow.Decimal128Type{Precision: 38, Scale: -10}},
		{"fixed_size_list:timestamp:us:+01:00:4", fsl(4, &arrow.TimestampType{Unit: arrow.Microsecond, TimeZone: "+01:00"})},
		{"fixed_size_list:decimal:128:5:2:3", fsl(3, &arrow.Decimal128Type{Precision: 5, Scale: 2})},
		{"fixed_size_list:fixed_size_list:fixed_size_list:bool:2:3:4", fsl(4, fsl(3, fsl(2, arrow.FixedWidthTypes.Boolean)))},
		{"dict:string:uint8:true", &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Uint8, ValueType: arrow.BinaryTypes.String, Ordered: true}},
		{"dict:int32:int8:false", &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: arrow.PrimitiveTypes.Int32}},
		{"", nil},
		{"int128", nil},
		{"Int64", nil},
		{"time32:us", nil},
		{"time64:ms", nil},
		{"date32", nil},
		{"timestamp", nil},
		{"timestamp:us", nil},
		{"timestamp:h:-", nil},
		{"duration:", nil},
		{"decimal:64:5:2", nil},
		{"decimal:128:39:2", nil},
		{"decimal:128:5", nil},
		{"decimal:128:x:2", nil},
		{"decimal:128:5:300", nil},
		{"fixed_size_binary:", nil},
		{"fixed_size_binary:-1", nil},
		{"fixed_size_binary:99999999999", nil},
		{"fixed_size_list:float", nil},
		{"fixed_size_list:float:0", nil},
		{"fixed_size_list:float:-2", nil},
		{"fixed_size_list:string:2", nil},
		{"fixed_size_list:struct:2", nil},
		{"dict:string:float:false", nil},
		{"dict:string:string:false", nil},
		{"dict:string", nil},
		{"union", nil},
		{"list", nil},
		{"map", nil},
	} {
		t.Run(c.logical, func(t *testing.T) {
			msg := smallest()
			msg.Fields[0].LogicalType = c.logical
			m, err := parse(frame(t, msg, nil))
			if c.want == nil {
				if !errors.Is(err, errs.ErrUnsupported) && !errors.Is(err, errs.ErrCorrupt) {
					t.Errorf("error %v", err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if got := m.Schema.Fields[0].Type; !arrow.TypeEqual(got, c.want) {
				t.Errorf("%s, want %s", got, c.want)
			}
		})
	}
}

// TestNestedMaps: a manifest may nest maps as deep as it likes, readers make arrays for each.
func TestNestedMaps(t *testing.T) {
	for maps, ok := range map[int]bool{1: true, 8: true, 9: false, 30: false} {
		msg := &tablepb.Manifest{Version: 1, DataFormat: smallest().DataFormat}
		parent := int32(-1)
		add := func(logical string, parent int32) int32 {
			id := int32(len(msg.Fields))
			msg.Fields = append(msg.Fields, &filepb.Field{Name: "f" + strconv.Itoa(int(id)), Id: id, ParentId: parent, LogicalType: logical})
			return id
		}
		for range maps {
			entries := add("struct", add("map", parent))
			add("int32", entries)
			parent = entries
		}
		add("int32", parent)
		_, err := parse(frame(t, msg, nil))
		if ok && err != nil || !ok && !errors.Is(err, errs.ErrUnsupported) {
			t.Errorf("%d maps: %v", maps, err)
		}
	}
}

// TestSpecialFields checks the columns that files hold in another form than readers are given.
func TestSpecialFields(t *testing.T) {
	md := func(kv ...string) map[string][]byte {
		m := make(map[string][]byte)
		for i := 0; i < len(kv); i += 2 {
			m[kv[i]] = []byte(kv[i+1])
		}
		return m
	}
	msg := &tablepb.Manifest{Version: 1, DataFormat: smallest().DataFormat, Fields: []*filepb.Field{
		{Name: "json", Id: 0, ParentId: -1, LogicalType: "json", Metadata: md(table.ExtensionName, "lance.json", "x", "y")},
		{Name: "blob1", Id: 1, ParentId: -1, LogicalType: "large_binary", Metadata: md("lance-encoding:blob", "true")},
		{Name: "blob2", Id: 2, ParentId: -1, LogicalType: "struct", Metadata: md(table.ExtensionName, "lance.blob.v2", "x", "y")},
		{Name: "data", Id: 3, ParentId: 2, LogicalType: "large_binary"},
		{Name: "uri", Id: 4, ParentId: 2, LogicalType: "string"},
		{Name: "packed", Id: 5, ParentId: -1, LogicalType: "struct", Metadata: md("packed", "true")},
		{Name: "x", Id: 6, ParentId: 5, LogicalType: "int8"},
		{Name: "bf", Id: 7, ParentId: -1, LogicalType: "fixed_size_list:lance.bfloat16:3"},
	}}
	m, err := parse(frame(t, msg, nil))
	if err != nil {
		t.Fatal(err)
	}
	s := m.Schema
	if f := s.Field("json"); f.Type != arrow.BinaryTypes.String || f.Storage != arrow.BinaryTypes.LargeBinary {
		t.Errorf("json: %s in files, %s to readers", f.Storage, f.Type)
	}
	if got := s.Field("json").Arrow().Metadata; !metadataOf(arrow.Field{Metadata: got}).Equal(arrow.MetadataFrom(map[string]string{table.ExtensionName: "arrow.json", "x": "y"})) {
		t.Errorf("json: metadata %v", got)
	}
	if f := s.Field("blob1"); f.Blob != table.BlobV1 || f.Type != arrow.BinaryTypes.LargeBinary {
		t.Errorf("blob1: %+v", f)
	}
	if f := s.Field("blob2"); f.Blob != table.BlobV2 || f.Type != arrow.BinaryTypes.LargeBinary || f.Storage.ID() != arrow.STRUCT || !f.Leaf() {
		t.Errorf("blob2: %+v", f)
	}
	if got := s.Field("blob2").Arrow().Metadata; got.Len() != 1 || got.Keys()[0] != "x" {
		t.Errorf("blob2: metadata %v", got)
	}
	if f := s.Field("packed"); !f.Packed || !f.Leaf() || f.Type.ID() != arrow.STRUCT {
		t.Errorf("packed: %+v", f)
	}
	bf := s.Field("bf").Type.(*arrow.FixedSizeListType)
	name, _ := bf.ElemField().Metadata.GetValue(table.ExtensionName)
	if b, ok := bf.Elem().(*arrow.FixedSizeBinaryType); !ok || b.ByteWidth != 2 || name != "lance.bfloat16" {
		t.Errorf("bf: %s, %q", bf, name)
	}
}
