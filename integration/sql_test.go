//go:build integration

package integration_test

import (
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/lanceflight/flightsrv/integration/serve"
)

// TestSQL runs the statements of integration/python/traps.py on tables that pylance writes in several layouts.
func TestSQL(t *testing.T) {
	data := t.TempDir()
	python := filepath.Join(serve.Root(), "integration", "python")
	if out, err := exec.Command(serve.Python(), filepath.Join(python, "traptables.py"), data).CombinedOutput(); err != nil {
		t.Fatalf("making the tables: %v\n%s", err, out)
	}
	addr := serve.Start(t, data).Addr
	serve.RunChecks(t, exec.Command(serve.Python(), filepath.Join(python, "traps.py"), "--server", addr))
}

// TestBenchmarkQueries runs TPC-H's and ClickBench's queries; the answers are those of DuckDB over Parquet files.
func TestBenchmarkQueries(t *testing.T) {
	data := t.TempDir()
	script := filepath.Join(serve.Root(), "integration", "python", "benchmarks.py")
	if out, err := exec.Command(serve.Python(), script, "make", data).CombinedOutput(); err != nil {
		t.Fatalf("making the tables: %v\n%s", err, out)
	}
	addr := serve.Start(t, filepath.Join(data, "lance")).Addr
	serve.RunChecks(t, exec.Command(serve.Python(), script, "run", data, addr))
}
