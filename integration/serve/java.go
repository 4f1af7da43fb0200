package serve

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// Java runs one source file with the JDBC driver that `make setup` fetched.
func Java(t testing.TB, source string, args ...string) *exec.Cmd {
	t.Helper()
	jar, err := os.ReadFile(filepath.Join(Root(), ".cache", "jdbc-driver"))
	if err != nil {
		t.Fatal(err)
	}
	args = append([]string{
		"--add-opens=java.base/java.nio=ALL-UNNAMED", "-Duser.timezone=UTC", "-XX:+UseSerialGC",
		"-cp", strings.TrimSpace(string(jar)), source,
	}, args...)
	cmd := exec.Command("java", args...)
	cmd.Dir = Root() // the jar's path may be relative to it
	return cmd
}
