package main

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/pelletier/go-toml/v2"
	"github.com/spf13/pflag"
)

// envPrefix starts the environment variables: --tls-cert is FLIGHTSRV_TLS_CERT.
const envPrefix = "FLIGHTSRV_"

// configFlag is the one flag that the file itself can't set.
const configFlag = "config"

// fillFlags gives each flag that was not on the command line its value from the environment, or else from the config
// file. Several values stand apart by commas in the environment, and as an array in the file.
func fillFlags(flags *pflag.FlagSet) error {
	if err := fillFromEnv(flags); err != nil {
		return err
	}
	file, err := flags.GetString(configFlag)
	if err != nil || file == "" {
		return err
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return fmt.Errorf("--config: %w", err)
	}
	var values map[string]any
	if err := toml.Unmarshal(text, &values); err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	for key, v := range values {
		f := flags.Lookup(key)
		if f == nil || key == configFlag || key == "help" {
			return fmt.Errorf("%s: no setting %q; each flag of serve is one", file, key)
		}
		if f.Changed {
			continue
		}
		if err := setFlag(flags, f, v); err != nil {
			return fmt.Errorf("%s: %s: %w", file, key, err)
		}
	}
	return nil
}

func fillFromEnv(flags *pflag.FlagSet) error {
	var faults []error
	flags.VisitAll(func(f *pflag.Flag) {
		name := envPrefix + strings.ToUpper(strings.ReplaceAll(f.Name, "-", "_"))
		text, set := os.LookupEnv(name)
		if !set || f.Changed || f.Name == "help" {
			return
		}
		var v any = text
		if f.Value.Type() == "stringArray" {
			v = splitList(text)
		}
		if err := setFlag(flags, f, v); err != nil {
			faults = append(faults, fmt.Errorf("%s: %w", name, err))
		}
	})
	return errors.Join(faults...)
}

func splitList(text string) []any {
	var out []any
	for _, part := range strings.Split(text, ",") {
		if part = strings.TrimSpace(part); part != "" {
			out = append(out, part)
		}
	}
	return out
}

// setFlag sets a flag from a value of the file: a text, number or boolean, or an array for a flag that may be repeated.
func setFlag(flags *pflag.FlagSet, f *pflag.Flag, v any) error {
	list, isList := v.([]any)
	if !isList {
		list = []any{v}
	} else if f.Value.Type() != "stringArray" {
		return errors.New("takes one value, no array")
	}
	for _, x := range list {
		switch x.(type) {
		case string, int64, bool, float64:
		default:
			return fmt.Errorf("takes a text, not a %T", x)
		}
		if err := flags.Set(f.Name, fmt.Sprint(x)); err != nil {
			return err
		}
	}
	return nil
}

// byteSize is a flag's value in bytes, written as 512MiB, 2GB, 1.5g or a plain number.
type byteSize int64

// String gives the size in bytes.
func (b *byteSize) String() string {
	if *b == 0 {
		return ""
	}
	return strconv.FormatInt(int64(*b), 10)
}

// Type names the flag's value in the help.
func (*byteSize) Type() string { return "size" }

var sizeUnits = []struct {
	suffixes []string
	factor   float64
}{
	{[]string{"kib", "ki"}, 1 << 10}, {[]string{"mib", "mi"}, 1 << 20}, {[]string{"gib", "gi"}, 1 << 30}, {[]string{"tib", "ti"}, 1 << 40},
	{[]string{"kb", "k"}, 1e3}, {[]string{"mb", "m"}, 1e6}, {[]string{"gb", "g"}, 1e9}, {[]string{"tb", "t"}, 1e12}, {[]string{"b", ""}, 1},
}

// Set reads a size.
func (b *byteSize) Set(text string) error {
	low := strings.ToLower(strings.TrimSpace(text))
	for _, u := range sizeUnits {
		i := slices.IndexFunc(u.suffixes, func(s string) bool { return strings.HasSuffix(low, s) })
		if i < 0 {
			continue
		}
		n, err := strconv.ParseFloat(strings.TrimSpace(strings.TrimSuffix(low, u.suffixes[i])), 64)
		if err != nil || !(n > 0) || n*u.factor > 1<<60 {
			break
		}
		*b = byteSize(n * u.factor)
		return nil
	}
	return fmt.Errorf("%q is no size; sizes are written as 512MiB or 2GB", text)
}
