package main

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"
)

// run runs a command line and gives what it prints.
func run(t *testing.T, stdin string, args ...string) (string, error) {
	t.Helper()
	var out bytes.Buffer
	cmd := root()
	cmd.SetArgs(args)
	cmd.SetIn(strings.NewReader(stdin))
	cmd.SetOut(&out)
	err := cmd.Execute()
	return out.String(), err
}

func TestUserCommands(t *testing.T) {
	file := filepath.Join(t.TempDir(), "users")
	steps := []struct {
		stdin string
		args  []string
		out   string
		fault string
	}{
		{"", []string{"list"}, "", ""},
		{"secret\n", []string{"add", "ann"}, "ann: added\n", ""},
		{"other\r\n", []string{"add", "zoë"}, "zoë: added\n", ""},
		{"newer", []string{"add", "ann"}, "ann: has a new password\n", ""},
		{"", []string{"list"}, "ann\nzoë\n", ""},
		{"\n", []string{"add", "bob"}, "", "password"},
		{"x\n", []string{"add", "b:b"}, "", "no name"},
		{"x\n", []string{"add"}, "", "one is needed"},
		{"", []string{"remove", "bob"}, "", `no user "bob"`},
		{"", []string{"remove", "zoë"}, "", ""},
		{"", []string{"list"}, "ann\n", ""},
	}
	for _, s := range steps {
		out, err := run(t, s.stdin, append([]string{"user", "--users", file}, s.args...)...)
		if out != s.out || (err == nil) != (s.fault == "") || err != nil && !strings.Contains(err.Error(), s.fault) {
			t.Errorf("%v: %q, %v; want %q, a fault with %q", s.args, out, err, s.out, s.fault)
		}
	}
	who, err := openUsers(file)
	if err != nil {
		t.Fatal(err)
	}
	for password, want := range map[string]bool{"newer": true, "secret": false, "": false} {
		if got, err := who.Check(t.Context(), "ann", password); err != nil || got != want {
			t.Errorf("%q: %t, %v", password, got, err)
		}
	}
	if _, err := run(t, "", "user", "list"); err == nil || !strings.Contains(err.Error(), "--users") {
		t.Errorf("without a file: %v", err)
	}
	t.Setenv("FLIGHTSRV_USERS", file)
	if out, err := run(t, "", "user", "list"); err != nil || out != "ann\n" {
		t.Errorf("by the environment: %q, %v", out, err)
	}
}
