package logical

import (
	"strconv"
	"strings"
	"testing"

	"github.com/lanceflight/flightsrv/planner/sqltext"
)

// TestMacros: each is one expression of no more arguments than its key tells, under a name that is no function's.
func TestMacros(t *testing.T) {
	for key, text := range macros {
		name, count, _ := strings.Cut(key, "/")
		n, err := strconv.Atoi(count)
		if err != nil {
			t.Errorf("%s: %v", key, err)
		}
		parsed, err := sqltext.Parse("SELECT " + text)
		if err != nil {
			t.Errorf("%s: %v", key, err)
			continue
		}
		q, ok := parsed.Statement.(*sqltext.QueryStmt)
		if !ok || len(q.Query.Body.(*sqltext.Select).Items) != 1 || len(q.Query.Body.(*sqltext.Select).From) > 0 || parsed.Params > n {
			t.Errorf("%s: %s is no expression of %d arguments", key, text, n)
		}
		if isScalar(name) || isAggregate(name) {
			t.Errorf("%s: there is a function of the name", key)
		}
	}
}
