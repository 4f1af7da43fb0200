// Package logical holds bound queries: names resolved, expressions typed, nothing decided yet about who runs what.
//
// A query keeps the shape of query blocks (SELECT ... FROM ... WHERE ...). Every element of FROM is a relation with an
// id of its own, and each column in an expression is (relation id, path).
package logical

import (
	"context"

	"github.com/lanceflight/flightsrv/scan"
)

// Resolver finds one version of one table.
type Resolver interface {
	Resolve(ctx context.Context, ref scan.TableRef) (scan.Source, error)
}
