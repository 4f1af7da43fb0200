//go:build integration

package integration_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/lanceflight/flightsrv/integration/serve"
)

// TestExamples runs the programs of examples/ over the demo tables. What they are to print was counted with pylance.
func TestExamples(t *testing.T) {
	addr := serve.Start(t, serve.DemoData(t)).Addr
	examples := filepath.Join(serve.Root(), "examples")
	python := func(name string) *exec.Cmd {
		return exec.Command(serve.Python(), filepath.Join(examples, name), addr)
	}
	for name, tt := range map[string]struct {
		cmd  *exec.Cmd
		want []string
	}{
		"dataframes": {python("dataframes.py"), []string{
			" kind   n  level", "  buy 298      8", "click 297      9", " view 297      8", "('buy', 298, 8)", "('click', 297, 9)", "('view', 297, 8)",
		}},
		"SQLAlchemy":   {python("sqlalchemy_core.py"), []string{"buy 298", "view 297", "[1, 3]", "kind  last", " buy  1198"}},
		"Spark":        {python("spark_reader.py"), []string{"partitions 3", "None 298 298", "buy 298 298", "click 297 297", "view 297 297"}},
		"Ray":          {python("ray_reader.py"), []string{"several tasks True", "buy 298 298", "click 297 297", "view 297 297"}},
		"database/sql": {exec.Command("go", "run", "-tags", "duckdb_arrow", "./examples/databasesql", addr), []string{"8 C00", "17 C00", "25 C00"}},
	} {
		t.Run(name, func(t *testing.T) {
			var stderr strings.Builder
			tt.cmd.Dir, tt.cmd.Stderr = serve.Root(), &stderr
			tt.cmd.Env = append(os.Environ(), "RAY_USAGE_STATS_ENABLED=0", "SPARK_LOCAL_IP=127.0.0.1")
			out, err := tt.cmd.Output()
			if err != nil {
				t.Fatalf("%v\n%s", err, stderr.String())
			}
			if got := strings.Split(strings.TrimRight(string(out), "\n"), "\n"); strings.Join(got, "\n") != strings.Join(tt.want, "\n") {
				t.Errorf("prints\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(tt.want, "\n"))
			}
		})
	}
}
