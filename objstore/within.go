package objstore

import (
	"net/url"
	"os"
	"path"
	"path/filepath"
	"strings"
)

// Within tells whether the place that uri names is the folder that root names, or lies below it. Links of the local disk
// are followed on both sides, so that two spellings of one folder are equal and a way out through a link is seen. How an
// object store is reached, the query of its URI, is no part of the place.
func Within(root, uri string) bool {
	rootFolder, rootLocal := localFolder(root)
	folder, local := localFolder(uri)
	if rootLocal != local {
		return false
	}
	if !local {
		return below(cleanURI(root), cleanURI(uri), "/")
	}
	a, errA := resolved(rootFolder)
	b, errB := resolved(folder)
	return errA == nil && errB == nil && below(a, b, string(filepath.Separator))
}

// below tells whether name is dir, or starts with it and a separator.
func below(dir, name, separator string) bool {
	return name == dir || strings.HasPrefix(name, strings.TrimSuffix(dir, separator)+separator)
}

// localFolder gives the folder of the local disk that a URI names, and false where it names none.
func localFolder(uri string) (string, bool) {
	scheme, _, ok := strings.Cut(uri, "://")
	if !ok {
		return uri, uri != ""
	}
	if !strings.EqualFold(scheme, "file") {
		return "", false
	}
	u, err := url.Parse(uri)
	if err != nil || u.Host != "" && u.Host != "localhost" || u.Path == "" {
		return "", false
	}
	return u.Path, true
}

// resolved is the absolute path of a folder without links. The end of it need not exist.
func resolved(folder string) (string, error) {
	abs, err := filepath.Abs(folder)
	if err != nil {
		return "", err
	}
	missing := ""
	for {
		real, err := filepath.EvalSymlinks(abs)
		if err == nil {
			return filepath.Join(real, missing), nil
		}
		parent := filepath.Dir(abs)
		if !os.IsNotExist(err) || parent == abs {
			return "", err
		}
		missing = filepath.Join(filepath.Base(abs), missing)
		abs = parent
	}
}

// cleanURI is a URI with its scheme in lower case and its path in the shortest form.
func cleanURI(uri string) string {
	uri, _ = splitQuery(uri)
	scheme, rest, _ := strings.Cut(uri, "://")
	return strings.ToLower(scheme) + "://" + strings.TrimPrefix(path.Clean("/"+rest), "/")
}
