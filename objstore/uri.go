package objstore

import (
	"strings"

	"github.com/lanceflight/flightsrv/errs"
)

// splitQuery parts a URI of an object store from its query, which tells how to reach the store (`?region=...`). A local
// path or a file:// URI has none: a question mark is part of a name there.
func splitQuery(uri string) (place, query string) {
	if _, local := localFolder(uri); local {
		return uri, ""
	}
	place, query, _ = strings.Cut(uri, "?")
	return place, query
}

func withQuery(place, query string) string {
	if query == "" {
		return place
	}
	return place + "?" + query
}

// Display is a URI as errors and logs may show it: without a query, which may hold secrets, and without a user.
func Display(uri string) string {
	place, _ := splitQuery(uri)
	scheme, rest, ok := strings.Cut(place, "://")
	if !ok {
		return place
	}
	host, below, _ := strings.Cut(rest, "/")
	if at := strings.LastIndexByte(host, '@'); at >= 0 {
		place = scheme + "://" + host[at+1:]
		if below != "" {
			place += "/" + below
		}
	}
	return place
}

// Join gives the URI of what lies at a relative path below a URI; a query stays at the end.
func Join(uri, rel string) string {
	place, query := splitQuery(uri)
	place = strings.TrimRight(place, "/")
	if rel != "" {
		place += "/" + rel
	}
	return withQuery(place, query)
}

// Beside gives the URI of another place that the table at uri names for its files. What a table names is not to be
// trusted to tell how a store is reached, where requests are signed for: a place in an object store is reached as the
// table itself is.
func Beside(uri, other string) (string, error) {
	place, query := splitQuery(other)
	if query != "" || Display(other) != other {
		return "", errs.New(errs.ErrPermissionDenied, "%s: a table can't tell how a store is reached", Display(other))
	}
	if !strings.EqualFold(schemeOf(uri), schemeOf(place)) {
		return place, nil
	}
	return Reached(uri, place), nil
}

// Reached gives the place that other names, reached as uri is: with its query.
func Reached(uri, other string) string {
	place, _ := splitQuery(other)
	_, query := splitQuery(uri)
	return withQuery(place, query)
}

func schemeOf(uri string) string {
	scheme, _, _ := strings.Cut(uri, "://")
	return scheme
}
