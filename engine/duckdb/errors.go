package duckdb

import (
	"regexp"
	"strings"

	"github.com/lanceflight/flightsrv/errs"
)

// kinds gives the kind of error for the words that DuckDB's error texts start with; all others are mistakes in the
// statement or in its data.
var kinds = map[string]error{
	"Out of Memory Error":      errs.ErrResourceExhausted,
	"INTERNAL Error":           errs.ErrInternal,
	"FATAL Error":              errs.ErrInternal,
	"IO Error":                 errs.ErrUnavailable,
	"TransactionContext Error": errs.ErrInternal,
}

// errNoMemory is for where DuckDB can't tell more.
var errNoMemory = errs.New(errs.ErrResourceExhausted, "the statement needs more memory than it may have")

// tooLarge is how DuckDB refuses values of a vector that take more than 128 GiB.
const tooLarge = "Cannot resize vector"

// boxedText is how DuckDB writes the type of a boxed value.
var boxedText = regexp.MustCompile(`STRUCT\("` + markPrefix + `([^"]*)" (?:BIGINT|BLOB|BOOLEAN)\)`)

// cleanError makes an error of DuckDB's text: its kind, and what is wrong, without the excerpt of the SQL text (which
// is ours, not the user's), without hints at DuckDB's own settings and functions, and without paths of the disk.
func cleanError(text string) error {
	text = strings.TrimSpace(text)
	if text == "" {
		return errNoMemory // for the text neither
	}
	for _, cut := range []string{"\n", "LINE 1:", " Did you mean", "Candidate functions:"} {
		text, _, _ = strings.Cut(text, cut)
	}
	head, msg := splitError(text)
	kind, known := kinds[head]
	if !known {
		kind = errs.ErrInvalidInput
	}
	msg = cleanMarks(boxedText.ReplaceAllString(msg, "$1"))
	if strings.HasPrefix(msg, tooLarge) {
		head, kind = "Out of Memory Error", errs.ErrResourceExhausted
	}
	switch head {
	case "IO Error":
		return errs.New(kind, "the relational engine can't use its temporary folder")
	case "INTERNAL Error", "FATAL Error":
		return errs.New(kind, "the relational engine failed: %s", firstSentence(msg))
	case "Out of Memory Error":
		return errs.New(kind, "the statement needs more memory or temporary space than it may have: %s", firstSentence(msg))
	case "Permission Error":
		return errs.New(errs.ErrInvalidInput, "the statement reads or writes what it may not")
	}
	return errs.New(kind, "%s", plainText(msg))
}

// splitError parts a text of DuckDB's into the words that tell its kind, "" where there are none, and what is wrong.
func splitError(text string) (head, msg string) {
	head, msg, found := strings.Cut(text, ": ")
	if !found || !strings.HasSuffix(head, "Error") {
		return "", text
	}
	return head, msg
}

func firstSentence(s string) string {
	s, _, _ = strings.Cut(s, " (")
	s, _, _ = strings.Cut(s, "/")
	return strings.TrimSpace(s)
}

// fatal tells whether an error leaves the instance unusable.
func fatal(text string) bool {
	return strings.HasPrefix(text, "FATAL Error") || strings.HasPrefix(text, "INTERNAL Error")
}
