//go:build integration

package integration_test

import (
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/lanceflight/flightsrv/integration/serve"
)

// TestCells compares the cells of random tables with xarray's own. CELLS_SEED and CELLS_TABLES choose others and more of
// them.
func TestCells(t *testing.T) {
	seed, count := fromEnv(t, "CELLS_SEED", 1), fromEnv(t, "CELLS_TABLES", 10)
	data := t.TempDir()
	script := filepath.Join(serve.Root(), "integration", "python", "cells.py")
	if out, err := exec.Command(serve.Python(), script, "write", data, strconv.Itoa(seed), strconv.Itoa(count)).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	addr := serve.Start(t, data).Addr
	serve.RunChecks(t, exec.Command(serve.Python(), script, "check", "--server", addr, "--data", data))
}
