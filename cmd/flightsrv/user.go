package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/lanceflight/flightsrv/users"
)

func userCommand() *cobra.Command {
	var file string
	cmd := &cobra.Command{
		Use:   "user {add NAME | remove NAME | list} --users FILE",
		Short: "Changes and lists who may connect",
		Long: "Changes and lists the users file that serve --users asks. A running server sees the change at its next call.\n" +
			"FLIGHTSRV_USERS names the file where --users does not.",
		PersistentPreRunE: func(cmd *cobra.Command, _ []string) error {
			if err := fillFromEnv(cmd.Flags()); err != nil {
				return err
			}
			if file == "" {
				return usagef("--users FILE is needed")
			}
			return nil
		},
	}
	cmd.PersistentFlags().StringVar(&file, "users", "", "the users file")
	cmd.AddCommand(
		&cobra.Command{
			Use:   "add NAME",
			Short: "Adds a user, or sets a new password",
			Long:  "Adds a user, or sets a new password. It is asked for at a terminal, else it is the first line of standard input.",
			Args:  oneArgument("the user's name"),
			RunE: func(cmd *cobra.Command, args []string) error {
				return addUser(file, args[0], cmd.InOrStdin(), cmd.OutOrStdout())
			},
		},
		&cobra.Command{
			Use:   "remove NAME",
			Short: "Removes a user, whose tokens are worth nothing from then on",
			Args:  oneArgument("the user's name"),
			RunE:  func(_ *cobra.Command, args []string) error { return users.Remove(file, args[0]) },
		},
		&cobra.Command{
			Use:   "list",
			Short: "Lists the users' names",
			Args:  noArguments,
			RunE: func(cmd *cobra.Command, _ []string) error {
				names, err := users.List(file)
				for _, name := range names {
					if _, err := fmt.Fprintln(cmd.OutOrStdout(), name); err != nil {
						return err
					}
				}
				return err
			},
		},
	)
	needsCommand(cmd)
	return cmd
}

func addUser(file, name string, in io.Reader, out io.Writer) error {
	password, err := newPassword(in)
	if err != nil {
		return err
	}
	replaced, err := users.Add(file, name, password)
	if err != nil {
		return err
	}
	done := "added"
	if replaced {
		done = "has a new password"
	}
	_, err = fmt.Fprintf(out, "%s: %s\n", name, done)
	return err
}

// newPassword asks twice at a terminal.
func newPassword(in io.Reader) (string, error) {
	first, asked, err := readPassword(in, "Password: ")
	if err != nil || !asked {
		return first, err
	}
	again, _, err := readPassword(in, "Again: ")
	if err == nil && again != first {
		err = errors.New("the two passwords differ")
	}
	return first, err
}

// readPassword asks at a terminal, unseen, and reads a line from anything else.
func readPassword(in io.Reader, prompt string) (password string, asked bool, err error) {
	if f, ok := in.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		fmt.Fprint(os.Stderr, prompt)
		text, err := term.ReadPassword(int(f.Fd()))
		fmt.Fprintln(os.Stderr)
		return string(text), true, err
	}
	line, err := bufio.NewReader(in).ReadString('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		return "", false, err
	}
	return strings.TrimRight(line, "\r\n"), false, nil
}
