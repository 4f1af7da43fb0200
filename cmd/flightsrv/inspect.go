package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/lanceflight/flightsrv/lanceio"
)

func inspectCommand() *cobra.Command {
	var format, version string
	cmd := &cobra.Command{
		Use:   "inspect TABLE-URI [--version VERSION] [--format table|json]",
		Short: "Tells how a table is stored",
		Long: "Tells how a table is stored: its versions, tags and branches, columns with their encodings and sizes, fragments and\n" +
			"files, of which rows the stats of each n-d array column are known, and indices. TABLE-URI is the table's folder;\n" +
			"TABLE-URI@VERSION is the same as --version. What can not be read is told where it stands, and again at the end.",
		Args: oneArgument("the folder of a table"),
		RunE: func(cmd *cobra.Command, args []string) error {
			uri, err := versionInURI(args[0], &version)
			if err != nil {
				return err
			}
			return inspect(cmd.Context(), uri, version, format, cmd.OutOrStdout())
		},
	}
	cmd.Flags().StringVar(&version, "version", "", "a number, a tag, branch:number or branch: (the newest of a branch); else the newest version")
	cmd.Flags().StringVar(&format, "format", "table", "table or json")
	return cmd
}

// versionInURI takes a version off a URI that ends as ".lance@7".
func versionInURI(uri string, version *string) (string, error) {
	at := strings.LastIndex(uri, ".lance@")
	if at < 0 || strings.Contains(uri[at:], "/") {
		return uri, nil
	}
	if _, err := os.Stat(uri); err == nil { // the folder's own name
		return uri, nil
	}
	at += len(".lance")
	if *version != "" && *version != uri[at+1:] {
		return "", usagef("two versions are given: %s and %s", uri[at+1:], *version)
	}
	*version = uri[at+1:]
	return uri[:at], nil
}

func inspect(ctx context.Context, uri, version, format string, out io.Writer) error {
	if format != "table" && format != "json" {
		return usagef("--format %q: the formats are table and json", format)
	}
	var opts []lanceio.Option
	if version != "" {
		opts = append(opts, lanceio.AtRef(version))
	}
	t, err := lanceio.Open(ctx, uri, opts...)
	if err != nil {
		return err
	}
	x, err := t.Inspect(ctx, allocator)
	if err != nil {
		return err
	}
	if format == "json" {
		enc := json.NewEncoder(out)
		enc.SetIndent("", "  ")
		enc.SetEscapeHTML(false)
		err = enc.Encode(x)
	} else {
		r := inspectReport{out: bufio.NewWriter(out), x: x}
		err = r.print()
	}
	if faults := x.Faults(); err == nil && len(faults) > 0 {
		return errors.New("what can not be read:\n  " + strings.Join(faults, "\n  "))
	}
	return err
}
