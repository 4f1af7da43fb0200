// Command flightsrv serves Lance tables over Arrow Flight SQL, and queries them from the shell.
//
// Its files only wire packages together: flags, configuration, logs, output formats and exit codes.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	_ "time/tzdata" // time zones where the system has none

	"github.com/spf13/cobra"
)

// version is set when the program is built.
var version = "devel"

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop) // a second signal ends the process at once
	if err := root().ExecuteContext(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "flightsrv:", err)
		os.Exit(exitCode(err))
	}
}

// exitCode is 130 for what a signal ended, 1 for all other errors.
func exitCode(err error) int {
	if errors.Is(err, context.Canceled) {
		return 130
	}
	return 1
}

func root() *cobra.Command {
	cmd := &cobra.Command{
		Use:           "flightsrv",
		Short:         "Serves Lance tables over Arrow Flight SQL",
		SilenceUsage:  true,
		SilenceErrors: true,
		Args:          cobra.NoArgs,
	}
	cmd.AddCommand(serveCommand(), queryCommand(), demoCommand(), versionCommand())
	return cmd
}

func versionCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Prints the version",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			_, err := fmt.Fprintln(cmd.OutOrStdout(), "flightsrv", version)
			return err
		},
	}
}
