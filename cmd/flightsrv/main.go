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
	"strings"
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
	if code == exitFault || code == exitUsage {
		fmt.Fprintln(os.Stderr, "flightsrv:", err)
	}
	os.Exit(code)
}

// The exit codes: those of a signal and of a pipe without reader are the shell's for these signals.
const (
	exitFault       = 1
	exitUsage       = 2
	exitInterrupted = 130
	exitNoReader    = 141
)

// usageError is a command line that can't be understood: its status is exitUsage.
type usageError struct{ error }

func (e usageError) Unwrap() error { return e.error }

func usagef(format string, args ...any) error { return usageError{fmt.Errorf(format, args...)} }

func exitCode(err error) int {
	var usage usageError
	switch {
	case err == nil:
		return 0
	case errors.Is(err, context.Canceled):
		return exitInterrupted
	case errors.Is(err, syscall.EPIPE):
		return exitNoReader
	case errors.As(err, &usage):
		return exitUsage
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
	cmd.SetFlagErrorFunc(func(c *cobra.Command, err error) error {
		return usagef("%w; see %s --help", err, c.CommandPath())
	})
	cmd.AddCommand(serveCommand(), queryCommand(), inspectCommand(), demoCommand(), userCommand(), versionCommand())
	needsCommand(cmd)
	return cmd
}

// needsCommand makes it a fault to call a group of commands without one of them, or with another.
func needsCommand(group *cobra.Command) {
	refuse := func(cmd *cobra.Command, args []string) error {
		var names []string
		for _, c := range cmd.Commands() {
			if c.IsAvailableCommand() {
				names = append(names, c.Name())
			}
		}
		there := strings.Join(names, ", ")
		if len(args) == 0 {
			return usagef("%s needs a command: %s", cmd.CommandPath(), there)
		}
		return usagef("%s has no command %q; there are %s", cmd.CommandPath(), args[0], there)
	}
	group.Args, group.RunE = refuse, refuse
}

// noArguments refuses arguments.
func noArguments(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		return usagef("%s takes no arguments, %q is one", cmd.CommandPath(), args[0])
	}
	return nil
}

func versionCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Prints the version",
		Args:  noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			_, err := fmt.Fprintln(cmd.OutOrStdout(), "flightsrv", version)
			return err
		},
	}
}
