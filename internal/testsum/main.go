// Command testsum reads the output of `go test -json`, passes on what failing tests printed, and ends with one line
// "N passed, N failed". It exits with 1 when a test failed, a package did not build, a test was skipped, or none ran:
// a check that did not run is not a check that passed.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
)

// event is one line of test2json's output.
type event struct {
	Action     string
	Package    string
	ImportPath string
	Test       string
	Output     string
	Elapsed    float64
}

// summary counts tests and keeps the output of those that may still fail.
type summary struct {
	out            io.Writer
	passed, failed int
	output         map[string][]string
	failedTests    map[string]bool // packages in which a test failed: the package's own fail adds nothing
}

func main() {
	s := &summary{out: os.Stdout, output: map[string][]string{}, failedTests: map[string]bool{}}
	if err := s.read(os.Stdin); err != nil {
		fmt.Fprintln(os.Stderr, "testsum:", err)
		os.Exit(1)
	}
	fmt.Fprintf(s.out, "%d passed, %d failed\n", s.passed, s.failed)
	if s.failed > 0 || s.passed == 0 {
		os.Exit(1)
	}
}

func (s *summary) read(in io.Reader) error {
	lines := bufio.NewReader(in)
	for {
		line, err := lines.ReadString('\n')
		if strings.TrimSpace(line) != "" {
			s.line(line)
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

func (s *summary) line(line string) {
	var e event
	if json.Unmarshal([]byte(line), &e) != nil {
		fmt.Fprint(s.out, line)
		return
	}
	key := e.Package + " " + e.Test
	switch e.Action {
	case "output":
		s.output[key] = append(s.output[key], e.Output)
	case "build-output":
		fmt.Fprint(s.out, e.Output)
	case "pass":
		if e.Test != "" {
			s.passed++
		} else {
			fmt.Fprintf(s.out, "ok    %s %.1fs\n", e.Package, e.Elapsed)
		}
		delete(s.output, key)
	case "skip":
		// A package without tests also reports a skip; only a skipped test is a fault.
		if e.Test != "" {
			s.fail(key, e.Package, "skipped")
		}
	case "fail":
		if e.Test == "" && s.failedTests[e.Package] {
			fmt.Fprintf(s.out, "FAIL  %s %.1fs\n", e.Package, e.Elapsed)
			return
		}
		s.fail(key, e.Package, "failed")
	}
}

func (s *summary) fail(key, pkg, how string) {
	s.failed++
	s.failedTests[pkg] = true
	fmt.Fprintf(s.out, "---- %s: %s\n%s", strings.TrimSpace(key), how, strings.Join(s.output[key], ""))
	delete(s.output, key)
}
