package main

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"strconv"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// wholeNumber is a flag for a whole number that knows its bounds, so that a value out
// of them is refused before anything is done.
type wholeNumber[T ~int | ~int32 | ~int64] struct {
	at    *T
	least int64
}

// all is the value that stands for no limit, where a number may be one.
const all = -1

// numberVar adds the flag. With least = all the flag takes that, too.
func numberVar[T ~int | ~int32 | ~int64](c *cobra.Command, at *T, name, short string, preset T, least int64, help string) {
	*at = preset
	c.Flags().VarP(&wholeNumber[T]{at, least}, name, short, help)
}

// anyNumber is for numbers that mean nothing to the store.
const anyNumber = math.MinInt64

// Set reads the value.
func (n *wholeNumber[T]) Set(text string) error {
	v, err := strconv.ParseInt(text, 10, reflect.TypeFor[T]().Bits())
	switch {
	case errors.Is(err, strconv.ErrRange):
		return errors.New("want a number that is not as large")
	case err != nil:
		return errors.New("want a whole number")
	case v < n.least && n.least == all:
		return errors.New("want at least 0, or -1 for all")
	case v < n.least:
		return fmt.Errorf("want at least %d", n.least)
	}
	*n.at = T(v)
	return nil
}

// String is the value.
func (n *wholeNumber[T]) String() string { return strconv.FormatInt(int64(*n.at), 10) }

// Type names the value in the help.
func (n *wholeNumber[T]) Type() string { return "int" }

// flagError tells what is wrong with a flag as it was typed.
func flagError(c *cobra.Command, err error) error {
	help := c.CommandPath() + " --help"
	var (
		unknown *pflag.NotExistError
		empty   *pflag.ValueRequiredError
		wrong   *pflag.InvalidValueError
	)
	switch {
	case errors.As(err, &unknown) && unknown.GetSpecifiedShortnames() != "":
		return usage(help, "%s has no flag -%.1s", c.Name(), unknown.GetSpecifiedName())
	case errors.As(err, &unknown):
		return usage(help, "%s has no flag --%s", c.Name(), unknown.GetSpecifiedName())
	case errors.As(err, &empty):
		return usage(help, "%s lacks its value", flagName(empty.GetFlag()))
	case errors.As(err, &wrong):
		why := wrong.Unwrap()
		if wrong.GetFlag().Value.Type() == "bool" {
			why = errors.New("want true or false")
		}
		return usage(help, "%s %q: %w", flagName(wrong.GetFlag()), wrong.GetValue(), why)
	}
	return usage(help, "%w", err)
}

// flagName is a flag in both its forms: which of them was typed pflag keeps to
// itself.
func flagName(f *pflag.Flag) string {
	if f.Shorthand != "" {
		return "-" + f.Shorthand + ", --" + f.Name
	}
	return "--" + f.Name
}

// optionFlags are the flags behind options of the store: who typed a flag is told
// of that, and not of an option that they have not heard of.
var optionFlags = map[string]string{
	"MappedFileSizeCommitLog":    "segment-size",
	"MappedFileSizeConsumeQueue": "queue-file-size",
	"MaxHashSlotNum":             "index-slots",
	"MaxIndexNum":                "index-entries",
	"StorePathCommitLog":         "commitlog",
}
