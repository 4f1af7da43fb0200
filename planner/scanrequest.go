package planner

import (
	"context"
	"strings"

	"github.com/lanceflight/flightsrv/errs"
	"github.com/lanceflight/flightsrv/expr"
	"github.com/lanceflight/flightsrv/planner/logical"
	"github.com/lanceflight/flightsrv/planner/physical"
	"github.com/lanceflight/flightsrv/planner/rules"
	"github.com/lanceflight/flightsrv/planner/sqltext"
	"github.com/lanceflight/flightsrv/scan"
)

func planScan(ctx context.Context, r ScanRequest, o Options) (*Statement, error) {
	ref, err := requestRef(r, o)
	if err != nil {
		return nil, err
	}
	t, err := logical.OpenTable(ctx, ref, logical.Options{TimeZone: o.TimeZone, Resolver: o.Resolver, Now: o.Now, Supports: supports})
	if err != nil {
		return nil, err
	}
	spec, err := requestSpec(t, r, o.env(supports))
	if err != nil {
		return nil, err
	}
	p, err := t.Source.Plan(ctx, spec)
	if err != nil {
		return nil, err
	}
	return &Statement{Kind: KindQuery, Plan: physical.ScanPlan(t.Source, p, spec, o.TimeZone, notes(t.Reasons))}, nil
}

func requestRef(r ScanRequest, o Options) (scan.TableRef, error) {
	lo := logical.Options{Catalog: o.Catalog, Schema: o.Schema}
	if len(r.TablePath) > 0 {
		if len(r.TablePath) > 3 {
			return scan.TableRef{}, errs.Invalidf("a table is named [catalog,] [schema,] table")
		}
		ref := scan.TableRef{Catalog: o.Catalog, Schema: o.Schema, Table: r.TablePath[len(r.TablePath)-1], Version: r.Version}
		if n := len(r.TablePath); n > 1 {
			ref.Schema = r.TablePath[n-2]
			if n > 2 {
				ref.Catalog = r.TablePath[0]
			}
			ref.TwoParts = n == 2
		}
		return ref, nil
	}
	parts, err := sqltext.ParseName(r.Table)
	if err != nil {
		return scan.TableRef{}, err
	}
	ref, err := logical.TableRefOf(names(parts), lo)
	if err != nil {
		return ref, err
	}
	if r.Version != "" {
		if ref.Version != "" {
			return ref, errs.Invalidf("the version of %s is given twice", ref.Table)
		}
		ref.Version = r.Version
	}
	return ref, nil
}

func requestSpec(t *logical.Table, r ScanRequest, env rules.Env) (scan.Spec, error) {
	spec := scan.Spec{Limit: -1, Offset: r.Offset}
	if r.Limit != nil {
		spec.Limit = *r.Limit
	}
	if spec.Offset < 0 || r.Limit != nil && spec.Limit < 0 {
		return spec, errs.Invalidf("limit and offset can't be negative")
	}
	if r.Columns == nil {
		spec.Columns = t.AllColumns()
	} else {
		paths, special, err := t.Columns(r.Columns)
		if err != nil {
			return spec, err
		}
		spec.Columns, spec.Special = rules.Cover(t.Source.Schema(), paths), special
	}
	if r.WithRowID && !contains(spec.Special, scan.RowID) {
		spec.Special = append(spec.Special, scan.RowID)
	}
	filter, err := requestFilter(t, r)
	if err != nil {
		return spec, err
	}
	spec.StatsFilter, spec.Filter = rules.Split(physical.Local(rules.Fold(env, filter)))
	return spec, nil
}

func contains(list []string, s string) bool {
	for _, x := range list {
		if x == s {
			return true
		}
	}
	return false
}

func requestFilter(t *logical.Table, r ScanRequest) (expr.Expr, error) {
	given := func(s string) bool { return strings.TrimSpace(s) != "" }
	if given(r.Filter) && (given(r.FilterExpr) || given(r.LanceFilter)) {
		return nil, errs.Invalidf("filter stands alone: filter_expr and lance_filter can't be given beside it")
	}
	var parts []expr.Expr
	for _, f := range []struct {
		kind logical.FilterKind
		text string
	}{{logical.LanceText, r.Filter}, {logical.ValuesExpr, r.FilterExpr}, {logical.ExactExpr, r.LanceFilter}} {
		if !given(f.text) {
			continue
		}
		e, err := t.Filter(f.kind, f.text)
		if err != nil {
			return nil, err
		}
		for _, c := range expr.Conjuncts(e) {
			if !supports(c) {
				return nil, errs.Unsupportedf("a scan can't compute %s; a SQL query can", c)
			}
		}
		parts = append(parts, e)
	}
	return expr.AllOf(parts...), nil
}
