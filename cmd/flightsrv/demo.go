package main

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/lanceflight/flightsrv/testdata"
)

func demoCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "demo DIR",
		Short: "Writes the demo tables into a folder",
		Args:  oneArgument("the folder to write into"),
		RunE: func(cmd *cobra.Command, args []string) error {
			tables, err := writeDemo(args[0])
			if err != nil {
				return err
			}
			for _, t := range tables {
				if _, err := fmt.Fprintln(cmd.OutOrStdout(), t); err != nil {
					return err
				}
			}
			return nil
		},
	}
}

// writeDemo writes the demo tables below dir and gives their paths. A table that is there already is not touched: that
// is an error.
func writeDemo(dir string) ([]string, error) {
	demo, err := fs.Sub(testdata.Demo, "demo")
	if err != nil {
		return nil, err
	}
	entries, err := fs.ReadDir(demo, ".")
	if err != nil {
		return nil, err
	}
	var tables []string
	for _, e := range entries {
		path := filepath.Join(dir, e.Name())
		if _, err := os.Stat(path); err == nil {
			return nil, fmt.Errorf("%s is there already: remove it, or name another folder", path)
		}
		tables = append(tables, path)
	}
	return tables, os.CopyFS(dir, demo)
}
