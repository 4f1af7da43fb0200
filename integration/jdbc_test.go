//go:build integration

package integration_test

import (
	"path/filepath"
	"testing"

	"github.com/lanceflight/flightsrv/integration/serve"
)

// TestJDBC runs integration/jdbc/Checks.java with the Arrow Flight SQL JDBC driver.
func TestJDBC(t *testing.T) {
	addr := serve.Start(t, serve.DemoData(t)).Addr
	serve.RunChecks(t, serve.Java(t, filepath.Join(serve.Root(), "integration", "jdbc", "Checks.java"), addr))
}
