package lanceio

import (
	"github.com/lanceflight/flightsrv/errs"
	"github.com/lanceflight/flightsrv/scan"
)

// setFilters turns the three filters of a scan into the two of a Spec.
func (t *Table) setFilters(spec *scan.Spec, o scanOptions) error {
	if o.filterText != nil && (o.filterExpr != nil || o.lanceFilter != nil) {
		return errs.Invalidf("table %s: Filter can't stand with FilterExpr or LanceFilter", t.name)
	}
	if o.filterText != nil || o.filterExpr != nil || o.lanceFilter != nil {
		return errs.Unsupportedf("filters")
	}
	return nil
}
