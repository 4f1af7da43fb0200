package planner

import (
	"context"

	"github.com/lanceflight/flightsrv/errs"
	"github.com/lanceflight/flightsrv/scan"
)

func plan(_ context.Context, _ string, _ Options) (*Statement, error) {
	return nil, errs.Unsupportedf("SQL is not planned yet")
}

func planScan(_ context.Context, _ ScanRequest, _ Options) (*Statement, error) {
	return nil, errs.Unsupportedf("scans are not planned yet")
}

func explainRows(_ *Statement, _ []scan.Metrics) ([]string, error) {
	return nil, errs.Unsupportedf("EXPLAIN is not there yet")
}
