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
	context.AfterFunc(ctx, stop)   // a second signal ends the process at once
	signal.Ignore(syscall.SIGPIPE) // a reader that leaves is an error of the write, after which all is tidied up
	err := root().ExecuteContext(ctx)
	code := exitCode(err)
	if code == exitFault {
		fmt.Fprintln(os.Stderr, "flightsrv:", err)
	}
	os.Exit(code)
}

// The exit codes: those of a signal and of a pipe without reader are the shell's for these signals.
const (
	exitFault       = 1
	exitInterrupted = 130
	exitNoReader    = 141
)

func exitCode(err error) int {
	switch {
	case err == nil:
		return 0
	case errors.Is(err, context.Canceled):
		return exitInterrupted
	case errors.Is(err, syscall.EPIPE):
		return exitNoReader
	}
	return exitFault
}

func root() *cobra.Command {
	cmd := &cobra.Command{
		Use:           "flightsrv",
		Short:         "Serves Lance tables over Arrow Flight SQL",
		SilenceUsage:  true,
		SilenceErrors: true,
	}
	cmd.AddCommand(serveCommand(), queryCommand(), inspectCommand(), demoCommand(), userCommand(), versionCommand())
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
