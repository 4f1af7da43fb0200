// Package ndarray knows the n-d array columns ("variables") of a table and their stats columns: how they are named and
// recognised, and how min and max are built from values. It knows nothing of predicates.
//
//	variable   struct{values: list<T>, dim_names: list<utf8>, dim_sizes: list<uint32>, attrs: struct}, extension name
//	           nd_arrow.array; attrs may be missing. A null struct: the row lacks the variable.
//	stats      `__stats__:<variable>`, a nullable struct{min: T, max: T}. A null struct: the row lacks the variable;
//	           null min and max: no value counts (all are null or NaN).
//
// Source: docs/reference.md, 'Tables and names'.
package ndarray

import (
	"strings"

	"github.com/apache/arrow-go/v18/arrow"
)

// Names of the format.
const (
	ArrayExtension            = "nd_arrow.array"
	GlobalAttributesExtension = "nd_arrow.global_attributes"
	GlobalAttributes          = "__global_attrs__"
	StatsPrefix               = "__stats__:"

	ValuesField   = "values"
	DimNamesField = "dim_names"
	DimSizesField = "dim_sizes"
	AttrsField    = "attrs"
	MinField      = "min"
	MaxField      = "max"
)

const extensionNameKey = "ARROW:extension:name"

// StatsColumn gives the name of a variable's stats column.
func StatsColumn(variable string) string { return StatsPrefix + variable }

// StatsOf gives the variable whose stats column has that name.
func StatsOf(column string) (variable string, ok bool) { return strings.CutPrefix(column, StatsPrefix) }

// ExtensionName gives the Arrow extension name of a field, from its type or its metadata; empty where it has none.
func ExtensionName(f arrow.Field) string {
	if e, ok := f.Type.(arrow.ExtensionType); ok {
		return e.ExtensionName()
	}
	name, _ := f.Metadata.GetValue(extensionNameKey)
	return name
}

// Variable describes one n-d array column of a schema.
type Variable struct {
	Name  string
	Elem  arrow.DataType // T, the type of the values
	Stats string         // its stats column; empty where the table has none
	// StatsElem is the type of the stats' min and max; nil without a stats column, or where that column is no
	// struct{min, max} of one type.
	StatsElem arrow.DataType
}

// StatsUsable tells whether the table has stats of the variable that can be compared as its values are.
func (v Variable) StatsUsable() bool { return v.StatsElem != nil && SameValues(v.Elem, v.StatsElem) }

// storage takes off an extension type.
func storage(t arrow.DataType) arrow.DataType {
	for {
		e, ok := t.(arrow.ExtensionType)
		if !ok {
			return t
		}
		t = e.StorageType()
	}
}

// SameValues tells whether two types hold the same values in another layout at most: utf8 and large utf8, a dictionary
// and its values. Other differences (int32 and int64, two units of time) are not the same.
func SameValues(a, b arrow.DataType) bool {
	a, b = plain(a), plain(b)
	return arrow.TypeEqual(a, b)
}

func plain(t arrow.DataType) arrow.DataType {
	t = storage(t)
	if d, ok := t.(*arrow.DictionaryType); ok {
		t = storage(d.ValueType)
	}
	switch t.ID() {
	case arrow.LARGE_STRING, arrow.STRING_VIEW:
		return arrow.BinaryTypes.String
	case arrow.LARGE_BINARY, arrow.BINARY_VIEW:
		return arrow.BinaryTypes.Binary
	}
	return t
}

// valuesElem gives T of a struct{values: list<T>, ...}, nil where t is none.
func valuesElem(t arrow.DataType) arrow.DataType {
	st, ok := storage(t).(*arrow.StructType)
	if !ok {
		return nil
	}
	f, ok := st.FieldByName(ValuesField)
	if !ok {
		return nil
	}
	if l, ok := storage(f.Type).(arrow.ListLikeType); ok && f.Type.ID() != arrow.MAP {
		return l.Elem()
	}
	return nil
}

func statsElem(t arrow.DataType) arrow.DataType {
	st, ok := storage(t).(*arrow.StructType)
	if !ok {
		return nil
	}
	lo, ok1 := st.FieldByName(MinField)
	hi, ok2 := st.FieldByName(MaxField)
	if !ok1 || !ok2 || !arrow.TypeEqual(lo.Type, hi.Type) {
		return nil
	}
	return lo.Type
}

// Lookup finds the variable of exactly that name.
func Lookup(schema *arrow.Schema, name string) (Variable, bool) {
	idx := schema.FieldIndices(name)
	if len(idx) != 1 {
		return Variable{}, false
	}
	f := schema.Field(idx[0])
	elem := valuesElem(f.Type)
	if elem == nil {
		return Variable{}, false
	}
	v := Variable{Name: name, Elem: elem}
	if s := schema.FieldIndices(StatsColumn(name)); len(s) == 1 {
		v.Stats = StatsColumn(name)
		v.StatsElem = statsElem(schema.Field(s[0]).Type)
	}
	return v, v.Stats != "" || ExtensionName(f) == ArrayExtension
}

// Variables gives the variables of a schema in its order.
func Variables(schema *arrow.Schema) []Variable {
	var out []Variable
	for _, f := range schema.Fields() {
		if v, ok := Lookup(schema, f.Name); ok {
			out = append(out, v)
		}
	}
	return out
}

// StatsField gives the field of a variable's stats column for values of type elem.
func StatsField(variable string, elem arrow.DataType) arrow.Field {
	return arrow.Field{Name: StatsColumn(variable), Type: StatsType(elem), Nullable: true}
}

// StatsType gives struct{min: T, max: T}, with the plain type of a dictionary's values.
func StatsType(elem arrow.DataType) *arrow.StructType {
	elem = storage(elem)
	if d, ok := elem.(*arrow.DictionaryType); ok {
		elem = storage(d.ValueType)
	}
	return arrow.StructOf(arrow.Field{Name: MinField, Type: elem, Nullable: true},
		arrow.Field{Name: MaxField, Type: elem, Nullable: true})
}
