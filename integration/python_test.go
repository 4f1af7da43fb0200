//go:build integration

package integration_test

import (
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/lanceflight/flightsrv/integration/serve"
)

// TestPython runs the checks in integration/python through pyarrow.flight and ADBC.
func TestPython(t *testing.T) {
	data := serve.DemoData(t)
	addr := serve.Start(t, data).Addr
	for _, program := range []string{"filters", "flights", "adbc"} {
		t.Run(program, func(t *testing.T) {
			script := filepath.Join(serve.Root(), "integration", "python", program+".py")
			serve.RunChecks(t, exec.Command(serve.Python(), script, "--server", addr, "--data", data))
		})
	}
}
