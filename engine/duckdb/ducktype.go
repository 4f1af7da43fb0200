package duckdb

import (
	"slices"

	db "github.com/duckdb/duckdb-go-bindings"
)

// duckType describes a DuckDB type in Go.
type duckType struct {
	id           db.Type
	width, scale uint8       // of DECIMAL
	size         int         // of ARRAY
	names        []string    // of STRUCT's fields
	enum         []string    // of ENUM's values
	kids         []*duckType // LIST and ARRAY: the item; MAP: key, value; STRUCT: the fields
}

func simple(id db.Type) *duckType { return &duckType{id: id} }

// equal tells whether both are one type; fields of a STRUCT have the same names in the same order.
func (t *duckType) equal(u *duckType) bool {
	if t.id != u.id || t.width != u.width || t.scale != u.scale || t.size != u.size || len(t.kids) != len(u.kids) ||
		!slices.Equal(t.names, u.names) || !slices.Equal(t.enum, u.enum) {
		return false
	}
	for i := range t.kids {
		if !t.kids[i].equal(u.kids[i]) {
			return false
		}
	}
	return true
}

// logical makes DuckDB's own form of the type; the caller destroys it.
func (t *duckType) logical() db.LogicalType {
	kids := make([]db.LogicalType, len(t.kids))
	for i, k := range t.kids {
		kids[i] = k.logical()
	}
	defer func() {
		for i := range kids {
			db.DestroyLogicalType(&kids[i])
		}
	}()
	switch t.id {
	case db.TypeDecimal:
		return db.CreateDecimalType(t.width, t.scale)
	case db.TypeList:
		return db.CreateListType(kids[0])
	case db.TypeArray:
		return db.CreateArrayType(kids[0], db.IdxT(t.size))
	case db.TypeMap:
		return db.CreateMapType(kids[0], kids[1])
	case db.TypeStruct:
		return db.CreateStructType(kids, t.names)
	case db.TypeEnum:
		return db.CreateEnumType(t.enum)
	}
	return db.CreateLogicalType(t.id)
}

// parseType reads DuckDB's own form of a type and destroys it.
func parseType(lt db.LogicalType) *duckType {
	defer db.DestroyLogicalType(&lt)
	t := &duckType{id: db.GetTypeId(lt)}
	switch t.id {
	case db.TypeDecimal:
		t.width, t.scale = db.DecimalWidth(lt), db.DecimalScale(lt)
	case db.TypeList:
		t.kids = []*duckType{parseType(db.ListTypeChildType(lt))}
	case db.TypeArray:
		t.kids = []*duckType{parseType(db.ArrayTypeChildType(lt))}
		t.size = int(db.ArrayTypeArraySize(lt))
	case db.TypeMap:
		t.kids = []*duckType{parseType(db.MapTypeKeyType(lt)), parseType(db.MapTypeValueType(lt))}
	case db.TypeStruct:
		for i := range db.StructTypeChildCount(lt) {
			t.names = append(t.names, db.StructTypeChildName(lt, i))
			t.kids = append(t.kids, parseType(db.StructTypeChildType(lt, i)))
		}
	case db.TypeEnum:
		for i := range db.EnumDictionarySize(lt) {
			t.enum = append(t.enum, db.EnumDictionaryValue(lt, db.IdxT(i)))
		}
	}
	return t
}

// decimalBytes is the size of a DECIMAL's values in DuckDB's vectors.
// Source: DuckDB's physical types by width (int16 to 4 digits, int32 to 9, int64 to 18, hugeint to 38).
func decimalBytes(width uint8) int {
	switch {
	case width <= 4:
		return 2
	case width <= 9:
		return 4
	case width <= 18:
		return 8
	}
	return 16
}
