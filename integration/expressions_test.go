//go:build integration

package integration_test

import (
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/lanceflight/flightsrv/integration/serve"
)

// TestExpressions runs random expressions over columns of every type, calls of every function, and random filters in Lance's own
// SQL: the answers are DuckDB's, those of the filters pylance's.
func TestExpressions(t *testing.T) {
	data := t.TempDir()
	python := filepath.Join(serve.Root(), "integration", "python")
	if out, err := exec.Command(serve.Python(), filepath.Join(python, "expressions.py"), "make", data).CombinedOutput(); err != nil {
		t.Fatalf("making the table: %v\n%s", err, out)
	}
	addr := serve.Start(t, data).Addr
	for _, program := range []string{"expressions", "functions", "lancetexts", "zones"} {
		t.Run(program, func(t *testing.T) {
			serve.RunChecks(t, exec.Command(serve.Python(), filepath.Join(python, program+".py"), "run", data, addr))
		})
	}
}
