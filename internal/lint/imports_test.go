// Package lint holds rules on the tree as tests.
package lint

import (
	"bufio"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/lanceflight/flightsrv"

// goPackage is what the rules need of `go list -json`.
type goPackage struct {
	ImportPath string
	Doc        string
	GoFiles    []string
	Imports    []string
}

// TestImportDirections compares the imports of every package with the package table of ARCHITECTURE.md: a package
// imports only what its row allows, every package has a row, and no row names a package that is gone.
func TestImportDirections(t *testing.T) {
	allowed := packageTable(t, filepath.Join("..", "..", "ARCHITECTURE.md"))
	seen := map[string]bool{}
	for _, p := range listPackages(t) {
		name := strings.TrimPrefix(strings.TrimPrefix(p.ImportPath, module), "/")
		row, ok := rowFor(allowed, name)
		if !ok {
			t.Errorf("%s has no row in the package table of ARCHITECTURE.md", name)
			continue
		}
		seen[row] = true
		for _, imp := range p.Imports {
			rel, ours := strings.CutPrefix(imp, module+"/")
			if !ours {
				continue
			}
			// A package may use its own children that the table gives no row of their own (generated messages).
			if target, _ := rowFor(allowed, rel); target == row {
				continue
			}
			if !allows(allowed[row], rel) {
				t.Errorf("%s imports %s, which its row in ARCHITECTURE.md does not allow", name, rel)
			}
		}
	}
	for row := range allowed {
		if !seen[row] {
			t.Errorf("ARCHITECTURE.md has a row for %s, which is not in the tree", row)
		}
	}
}

// TestPackageComments demands a package comment of every package that is more than tests.
func TestPackageComments(t *testing.T) {
	for _, p := range listPackages(t) {
		if p.Doc == "" && len(p.GoFiles) > 0 {
			t.Errorf("%s has no package comment", p.ImportPath)
		}
	}
}

// rowFor gives the row of a package: its own, or that of the nearest folder above that ends in "/...".
func rowFor(allowed map[string][]string, name string) (string, bool) {
	if _, ok := allowed[name]; ok {
		return name, true
	}
	for dir := name; dir != "." && dir != "/"; dir = filepath.Dir(dir) {
		if _, ok := allowed[dir+"/..."]; ok {
			return dir + "/...", true
		}
	}
	return "", false
}

func allows(row []string, imp string) bool {
	return slices.ContainsFunc(row, func(a string) bool {
		prefix, tree := strings.CutSuffix(a, "/...")
		return a == "anything" || a == imp || tree && (imp == prefix || strings.HasPrefix(imp, prefix+"/"))
	})
}

// packageTable reads the rows "| `package` | job | `allowed`, `allowed` |" of the page's package table.
func packageTable(t *testing.T, page string) map[string][]string {
	t.Helper()
	f, err := os.Open(page)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	rows := map[string][]string{}
	for lines := bufio.NewScanner(f); lines.Scan(); {
		cells := strings.Split(lines.Text(), "|")
		if len(cells) != 5 || !strings.HasPrefix(strings.TrimSpace(cells[1]), "`") {
			continue
		}
		var imports []string
		for word := range strings.SplitSeq(cells[3], ",") {
			if w := strings.Trim(strings.TrimSpace(word), "`"); w != "" {
				imports = append(imports, w)
			}
		}
		rows[strings.Trim(strings.TrimSpace(cells[1]), "`")] = imports
	}
	if len(rows) == 0 {
		t.Fatal("no package table found")
	}
	return rows
}

func listPackages(t *testing.T) []goPackage {
	t.Helper()
	cmd := exec.Command("go", "list", "-json=ImportPath,Doc,GoFiles,Imports", "-tags", "duckdb_arrow,integration", module+"/...")
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	var packages []goPackage
	for dec := json.NewDecoder(out); ; {
		var p goPackage
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		packages = append(packages, p)
	}
	if err := cmd.Wait(); err != nil {
		t.Fatal(err)
	}
	return packages
}
