//go:build integration

package integration_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/lanceflight/flightsrv/integration/serve"
)

// piece matches "<!-- test: NAME -->", a block of code and the block of its output.
var piece = regexp.MustCompile("(?s)<!-- test: (\\w+) -->\n```\\w+\n(.*?)```\n```text\n(.*?)```")

// TestREADME runs each piece of code that the README shows, against the demo tables, and compares its output with the
// one that the README shows.
func TestREADME(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(serve.Root(), "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	addr := serve.Start(t, serve.DemoData(t)).Addr
	run := map[string]func(t *testing.T, code string) *exec.Cmd{
		"pyarrow": python, "adbc": python, "jdbc": java, "go": goProgram,
	}
	found := piece.FindAllStringSubmatch(string(text), -1)
	if len(found) != len(run) {
		t.Fatalf("%d pieces in the README, want %d", len(found), len(run))
	}
	for _, m := range found {
		name, code, want := m[1], strings.ReplaceAll(m[2], "127.0.0.1:31337", addr), m[3]
		t.Run(name, func(t *testing.T) {
			cmd := run[name](t, code)
			var stderr strings.Builder
			cmd.Stderr = &stderr
			got, err := cmd.Output()
			if err != nil {
				t.Fatalf("%v\n%s", err, stderr.String())
			}
			if string(got) != want {
				t.Errorf("printed:\n%swant:\n%s", got, want)
			}
		})
	}
}

func write(t *testing.T, path, code string) string {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(code), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

func python(t *testing.T, code string) *exec.Cmd {
	return exec.Command(serve.Python(), write(t, filepath.Join(t.TempDir(), "piece.py"), code))
}

func java(t *testing.T, code string) *exec.Cmd {
	return serve.Java(t, write(t, filepath.Join(t.TempDir(), "Example.java"), code))
}

// goProgram runs code inside this module, whose go.mod has what it imports.
func goProgram(t *testing.T, code string) *exec.Cmd {
	dir, err := os.MkdirTemp(filepath.Join(serve.Root(), "integration"), "readme-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	cmd := exec.Command("go", "run", write(t, filepath.Join(dir, "main.go"), code))
	cmd.Dir = serve.Root()
	return cmd
}
