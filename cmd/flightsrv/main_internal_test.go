package main

import (
	"path/filepath"
	"strings"
	"testing"
)

// TestCommandLines: a command line that can't be understood ends with status 2, and tells what is wrong with it; what was
// understood and failed with 1.
func TestCommandLines(t *testing.T) {
	t.Setenv("FLIGHTSRV_USERS", "")
	users := filepath.Join(t.TempDir(), "users")
	for line, tt := range map[string]struct {
		code int
		text string
	}{
		"":                                   {2, "flightsrv needs a command: completion, demo, inspect, query, serve, user, version"},
		"nosuch":                             {2, `flightsrv has no command "nosuch"; there are completion, demo`},
		"user":                               {2, "flightsrv user needs a command: add, list, remove"},
		"user nosuch":                        {2, `flightsrv user has no command "nosuch"; there are add, list, remove`},
		"user --users FILE":                  {2, "flightsrv user needs a command"},
		"user list":                          {2, "--users FILE is needed"},
		"user list --users FILE more":        {2, `takes no arguments, "more" is one`},
		"user add --users FILE":              {2, "0 arguments are given, one is needed: the user's name"},
		"user remove --users FILE a b":       {2, "2 arguments are given"},
		"user remove --users FILE ann":       {1, `no user "ann"`},
		"user --users FILE list":             {0, ""},
		"version":                            {0, ""},
		"version --nosuch":                   {2, "unknown flag: --nosuch; see flightsrv version --help"},
		"version 1":                          {2, "takes no arguments"},
		"--help":                             {0, ""},
		"user --help":                        {0, ""},
		"demo":                               {2, "the folder to write into"},
		"inspect":                            {2, "the folder of a table"},
		"inspect --format x t.lance":         {2, `--format "x"`},
		"inspect --version 1 t.lance@2":      {2, "two versions"},
		"inspect nosuch.lance":               {1, "there is no table nosuch"},
		"query":                              {2, "the statement, as one argument in quotes"},
		"query q":                            {2, "give either --data URI or --server"},
		"query --data a --server b q":        {2, "give either"},
		"query --data . --format x q":        {2, `--format "x"`},
		"query --server http://x q":          {2, "the scheme is grpc or grpc+tls"},
		"query --data nosuch q":              {1, "there is no such folder"},
		"query --data . --memory lots q":     {2, `"lots" is no size`},
		"serve":                              {2, "no data to read: give --data URI"},
		"serve more":                         {2, "takes no arguments"},
		"serve --data . --nosuch":            {2, "unknown flag"},
		"serve --data . --drain soon":        {2, "--drain"},
		"serve --data . --tls-cert x":        {2, "--tls-cert and --tls-key go together"},
		"serve --data . --option nested":     {2, "an option is given as NAME=VALUE"},
		"serve --data . --listen 0.0.0.0:0":  {2, "other machines can reach this address"},
		"serve --data . --advertise x":       {2, "--advertise x"},
		"serve --data . --config nosuch":     {1, "--config: "},
		"serve --data . --users nosuch":      {1, "--users: "},
		"serve --data . --ticket-key nosuch": {1, "--ticket-key: "},
	} {
		_, err := run(t, "", strings.Fields(strings.ReplaceAll(line, "FILE", users))...)
		if code := exitCode(err); code != tt.code || err != nil && !strings.Contains(err.Error(), tt.text) {
			t.Errorf("flightsrv %s: status %d, %v; want %d, %q", line, code, err, tt.code, tt.text)
		}
	}
}
