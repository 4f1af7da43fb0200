package table

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/lanceflight/flightsrv/errs"
	"github.com/lanceflight/flightsrv/objstore"
)

const (
	tagsDir     = "_refs/tags"
	branchesDir = "_refs/branches"
	treeDir     = "tree"
	mainBranch  = "main"
	// maxRef bounds the size of a tag's or branch's file.
	maxRef = 1 << 20
)

// Tag is a name for a version.
type Tag struct {
	Name    string
	Branch  string // "" for main
	Version uint64
	Created time.Time // zero where it is not recorded
}

// Branch is a line of versions that left another one.
type Branch struct {
	Name          string
	Parent        string // "" for main
	ParentVersion uint64
}

// BranchDir is the folder of a branch within the table; "" and "main" are the table's own.
func BranchDir(branch string) string {
	if branch == "" || branch == mainBranch {
		return ""
	}
	return treeDir + "/" + branch
}

// ReadTag reads a tag by its name. One that is not there is an errs.ErrNotFound.
func ReadTag(ctx context.Context, s objstore.Store, name string) (*Tag, error) {
	if !validTag(name) {
		return nil, errs.NotFoundf("there is no tag %q", name)
	}
	var file struct {
		Branch    *string   `json:"branch"`
		Version   uint64    `json:"version"`
		CreatedAt time.Time `json:"createdAt"`
	}
	if err := readRef(ctx, s, tagsDir+"/"+name+".json", &file); err != nil {
		return nil, refError(err, "tag", name)
	}
	t := &Tag{Name: name, Version: file.Version, Created: file.CreatedAt}
	if file.Branch != nil && *file.Branch != mainBranch {
		if !validBranch(*file.Branch) {
			return nil, errs.Corruptf(tagsDir+"/"+name+".json", -1, "%q is no name of a branch", *file.Branch)
		}
		t.Branch = *file.Branch
	}
	return t, nil
}

// ReadBranch reads what is recorded of a branch. One that is not there is an errs.ErrNotFound.
func ReadBranch(ctx context.Context, s objstore.Store, name string) (*Branch, error) {
	if !validBranch(name) {
		return nil, errs.NotFoundf("there is no branch %q", name)
	}
	var file struct {
		ParentBranch  *string `json:"parentBranch"`
		ParentVersion uint64  `json:"parentVersion"`
	}
	if err := readRef(ctx, s, branchesDir+"/"+strings.ReplaceAll(name, "/", "%2F")+".json", &file); err != nil {
		return nil, refError(err, "branch", name)
	}
	b := &Branch{Name: name, ParentVersion: file.ParentVersion}
	if file.ParentBranch != nil && *file.ParentBranch != mainBranch {
		b.Parent = *file.ParentBranch
	}
	return b, nil
}

func refError(err error, kind, name string) error {
	if errors.Is(err, errs.ErrNotFound) {
		return errs.NotFoundf("there is no %s %q", kind, name)
	}
	return fmt.Errorf("%s %s: %w", kind, name, err)
}

func readRef(ctx context.Context, s objstore.Store, name string, into any) error {
	data, _, err := objstore.ReadAll(ctx, s, name, maxRef)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(data, into); err != nil {
		return errs.Corruptf(name, -1, "%v", err)
	}
	return nil
}

// ListTags lists the names of all tags, sorted.
func ListTags(ctx context.Context, s objstore.Store) ([]string, error) {
	return listRefs(ctx, s, tagsDir, validTag)
}

// ListBranches lists the names of all branches but main, sorted by their files.
func ListBranches(ctx context.Context, s objstore.Store) ([]string, error) {
	return listRefs(ctx, s, branchesDir, validBranch)
}

func listRefs(ctx context.Context, s objstore.Store, dir string, valid func(string) bool) ([]string, error) {
	infos, err := s.List(ctx, dir)
	if errors.Is(err, errs.ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var names []string
	for _, info := range infos {
		name, ok := strings.CutSuffix(info.Name, ".json")
		name = strings.ReplaceAll(name, "%2F", "/")
		if ok && !info.Dir && valid(name) {
			names = append(names, name)
		}
	}
	return names, nil
}

// validTag tells whether a name can be one of a tag: letters, digits, '.', '-' and '_', no dot at an end, no two in a row.
func validTag(name string) bool {
	return refPart(name) && !strings.HasPrefix(name, ".") && !strings.HasSuffix(name, ".") &&
		!strings.Contains(name, "..") && !strings.HasSuffix(name, ".lock")
}

// validBranch tells whether a name can be one of a branch: parts of letters, digits, '.', '-' and '_', joined by '/'.
func validBranch(name string) bool {
	if name == mainBranch || strings.Contains(name, "..") || strings.HasSuffix(name, ".lock") {
		return false
	}
	for part := range strings.SplitSeq(name, "/") {
		if !refPart(part) || part == "." {
			return false
		}
	}
	return true
}

func refPart(s string) bool {
	for _, r := range s {
		ok := r == '.' || r == '-' || r == '_' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || unicode.IsLetter(r) || unicode.IsNumber(r)
		if !ok {
			return false
		}
	}
	return s != ""
}

// Ref names a version: the newest of a branch, one by its number, or a tag.
type Ref struct {
	Branch string  // "" for main
	Number *uint64 // nil for the newest, or with a tag
	Tag    string  // "" for none
}

// ParseRef reads what stands behind the '@' of a table's name: "" is the newest version, "7" a number, "name" a tag,
// "branch:7" a version of a branch and "branch:" its newest.
func ParseRef(text string) (Ref, error) {
	branch, number, onBranch := strings.Cut(text, ":")
	if !onBranch {
		number = text
	}
	var r Ref
	if onBranch {
		if branch != mainBranch && !validBranch(branch) {
			return Ref{}, errs.Invalidf("%q is no name of a branch", branch)
		}
		if branch != mainBranch {
			r.Branch = branch
		}
	}
	if number == "" {
		return r, nil
	}
	if n, err := strconv.ParseUint(number, 10, 64); err == nil {
		r.Number = &n
		return r, nil
	}
	if onBranch {
		return Ref{}, errs.Invalidf("%q is no version number", number)
	}
	r.Tag = text
	return r, nil
}

// Resolve turns a reference into the folder and manifest file of a version.
func Resolve(ctx context.Context, s objstore.Store, ref Ref) (dir string, file VersionFile, err error) {
	switch {
	case ref.Tag != "":
		tag, err := ReadTag(ctx, s, ref.Tag)
		if errors.Is(err, errs.ErrNotFound) {
			return "", VersionFile{}, noRef(ctx, s, "tag", ref.Tag, ListTags)
		}
		if err != nil {
			return "", VersionFile{}, err
		}
		dir = BranchDir(tag.Branch)
		if file, err = FindVersion(ctx, s, dir, tag.Version); err != nil {
			return "", VersionFile{}, fmt.Errorf("tag %s: %w", ref.Tag, err)
		}
		return dir, file, nil
	case ref.Number != nil:
		dir = BranchDir(ref.Branch)
		file, err = FindVersion(ctx, s, dir, *ref.Number)
	default:
		dir = BranchDir(ref.Branch)
		file, err = Newest(ctx, s, dir)
	}
	if err == nil || ref.Branch == "" {
		return dir, file, err
	}
	if errors.Is(err, errs.ErrNotFound) {
		if _, lerr := ListVersions(ctx, s, dir); errors.Is(lerr, errs.ErrNotFound) {
			return dir, file, noRef(ctx, s, "branch", ref.Branch, ListBranches)
		}
	}
	return dir, file, fmt.Errorf("branch %s: %w", ref.Branch, err)
}

// namedRefs is how many tags or branches an error names.
const namedRefs = 5

// noRef is the error for a tag or branch that is not there; it names those that are.
func noRef(ctx context.Context, s objstore.Store, kind, name string, list func(context.Context, objstore.Store) ([]string, error)) error {
	names, err := list(ctx, s)
	if err != nil { // the answer stands without them
		return errs.NotFoundf("there is no %s %q", kind, name)
	}
	there := "the table has none"
	switch {
	case len(names) > namedRefs:
		there = "there are " + strings.Join(names[:namedRefs], ", ") + " and others"
	case len(names) > 0:
		there = "there are " + strings.Join(names, ", ")
	}
	return errs.NotFoundf("there is no %s %q; %s", kind, name, there)
}

// Open reads the version that a reference names.
func Open(ctx context.Context, s objstore.Store, ref Ref) (*Manifest, error) {
	dir, file, err := Resolve(ctx, s, ref)
	if err != nil {
		return nil, err
	}
	return ReadManifest(ctx, s, dir, file)
}
