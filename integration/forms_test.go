//go:build integration

package integration_test

import (
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/lanceflight/flightsrv/integration/serve"
)

// TestForms runs generated statements with the forms that DuckDB has beside the standard's; the answers are DuckDB's.
func TestForms(t *testing.T) {
	data := t.TempDir()
	script := filepath.Join(serve.Root(), "integration", "python", "forms.py")
	if out, err := exec.Command(serve.Python(), script, "make", data).CombinedOutput(); err != nil {
		t.Fatalf("making the tables: %v\n%s", err, out)
	}
	addr := serve.Start(t, data).Addr
	serve.RunChecks(t, exec.Command(serve.Python(), script, "run", data, addr))
}
