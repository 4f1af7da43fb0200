package serve

import (
	"os/exec"
	"strings"
	"testing"
)

// RunChecks runs a program that prints "PASS name" or "FAIL name: detail" for each check, each as a subtest. A program
// that ends badly, or checks nothing, fails.
func RunChecks(t *testing.T, cmd *exec.Cmd) {
	t.Helper()
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	checks := 0
	for line := range strings.Lines(string(out)) {
		verdict, rest, ok := strings.Cut(strings.TrimSpace(line), " ")
		if !ok || verdict != "PASS" && verdict != "FAIL" {
			continue
		}
		checks++
		name, detail, _ := strings.Cut(rest, ": ")
		t.Run(name, func(t *testing.T) {
			if verdict == "FAIL" {
				t.Error(detail)
			}
		})
	}
	if err != nil {
		t.Errorf("%v\n%s", err, stderr.String())
	}
	if checks == 0 {
		t.Errorf("nothing was checked\n%s%s", out, stderr.String())
	}
}
