package table

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/lanceflight/flightsrv/errs"
	"github.com/lanceflight/flightsrv/objstore"
)

const (
	versionsDir = "_versions"
	// tailRead is read of a manifest file at first: most manifests are smaller.
	tailRead = 64 << 10
	// maxManifest bounds the manifest message (without sections) that is read.
	maxManifest = 2 << 30
)

// VersionFile is the manifest file of one version.
type VersionFile struct {
	Version uint64
	Name    string // relative to the branch's folder: "_versions/..."
	ETag    string // empty where the store's listing does not tell it
	Size    int64  // the same, 0 where it is not told
}

// parseVersionName reads the version off a file name: the number itself, or 2^64-1 less the number in 20 digits.
func parseVersionName(name string) (version uint64, inverted, ok bool) {
	digits, ok := strings.CutSuffix(name, ".manifest")
	if !ok || strings.HasPrefix(name, "d") {
		return 0, false, false
	}
	n, err := strconv.ParseUint(digits, 10, 64)
	if err != nil || digits[0] == '+' {
		return 0, false, false
	}
	if len(digits) == 20 {
		return math.MaxUint64 - n, true, true
	}
	return n, false, true
}

// versionNames gives the names that the manifest of a version may have, the newer scheme first.
func versionNames(version uint64) []string {
	if version&DetachedBit != 0 {
		return []string{fmt.Sprintf("%s/d%d.manifest", versionsDir, version)}
	}
	return []string{
		fmt.Sprintf("%s/%020d.manifest", versionsDir, math.MaxUint64-version),
		fmt.Sprintf("%s/%d.manifest", versionsDir, version),
	}
}

// ListVersions lists the versions of a branch, the newest first. dir is the branch's folder, "" for main. Without any it
// is an errs.ErrNotFound.
func ListVersions(ctx context.Context, s objstore.Store, dir string) ([]VersionFile, error) {
	infos, err := s.List(ctx, join(dir, versionsDir))
	if err != nil {
		return nil, fmt.Errorf("list versions: %w", err)
	}
	files, _, err := versionFiles(infos, dir)
	return files, err
}

// newestFirst is how many names are listed where the first one is that of the newest version: enough to see names of the
// older scheme beside them.
const newestFirst = 100

// Newest finds the manifest file of the newest version of a branch. The names of the newer scheme ascend as the versions
// descend, so that the start of a listing tells it; those of the older scheme are listed all.
func Newest(ctx context.Context, s objstore.Store, dir string) (VersionFile, error) {
	infos, more, err := objstore.ListFirst(ctx, s, join(dir, versionsDir), newestFirst)
	if err != nil {
		return VersionFile{}, fmt.Errorf("list versions: %w", err)
	}
	files, inverted, err := versionFiles(infos, dir)
	if more && (err != nil || !inverted) {
		files, err = ListVersions(ctx, s, dir)
	}
	if err != nil {
		return VersionFile{}, err
	}
	return files[0], nil
}

// versionFiles gives the versions of a listing, the newest first, and whether their names are those of the newer scheme.
func versionFiles(infos []objstore.Info, dir string) (files []VersionFile, inverted bool, err error) {
	var schemes [2]bool
	for _, info := range infos {
		version, inverted, ok := parseVersionName(info.Name)
		if !ok || info.Dir {
			continue
		}
		scheme := 0
		if inverted {
			scheme = 1
		}
		schemes[scheme] = true
		files = append(files, VersionFile{Version: version, Name: versionsDir + "/" + info.Name, ETag: info.ETag, Size: info.Size})
	}
	if schemes[0] && schemes[1] {
		return nil, false, errs.Corruptf(join(dir, versionsDir), -1, "it mixes both naming schemes of manifests")
	}
	if len(files) == 0 {
		return nil, false, errs.NotFoundf("%s holds no version", join(dir, versionsDir))
	}
	slices.SortFunc(files, func(a, b VersionFile) int {
		if a.Version > b.Version {
			return -1
		}
		return 1
	})
	return files, schemes[1], nil
}

// ReadManifest reads one version's manifest.
func ReadManifest(ctx context.Context, s objstore.Store, dir string, file VersionFile) (*Manifest, error) {
	m, err := readManifest(ctx, s, dir, file)
	if err != nil {
		return nil, err
	}
	if m.Version != file.Version {
		return nil, errs.Corruptf(join(dir, file.Name), -1, "it holds version %d", m.Version)
	}
	return m, nil
}

func readManifest(ctx context.Context, s objstore.Store, dir string, file VersionFile) (*Manifest, error) {
	object := join(dir, file.Name)
	var r objstore.Reader
	var err error
	if file.ETag != "" && file.Size > 0 {
		r, err = objstore.OpenKnown(ctx, s, object, objstore.Info{ETag: file.ETag, Size: file.Size})
	} else {
		r, err = s.Open(ctx, object)
	}
	if err != nil {
		return nil, err
	}
	defer r.Close()
	size := r.Size()
	tailLen := min(size, tailRead)
	got, err := r.ReadRanges(ctx, []objstore.Range{{Offset: size - tailLen, Size: tailLen}})
	if err != nil {
		return nil, err
	}
	b := got[0]
	pos, err := manifestPosition(b, uint64(size), object)
	if err != nil {
		return nil, err
	}
	if uint64(size)-pos > maxManifest {
		return nil, errs.Corruptf(object, int64(pos), "manifest of %d bytes, at most %d are read", uint64(size)-pos, maxManifest)
	}
	start := size - tailLen
	if int64(pos) < start {
		more, err := r.ReadRanges(ctx, []objstore.Range{{Offset: int64(pos), Size: start - int64(pos)}})
		if err != nil {
			return nil, err
		}
		b, start = slices.Concat(more[0], b), int64(pos)
	}
	msg, err := unmarshalManifest(b[int64(pos)-start:], pos, object)
	if err != nil {
		return nil, err
	}
	m, err := newManifest(msg, dir, file.Name, uint64(size))
	if err == nil && m.IndexSection != nil {
		m.Indices, err = readIndices(ctx, r, int64(*m.IndexSection), b, start, object)
	}
	return m, err
}

// readIndices reads the indices of a manifest file, listed at a position; b is the file's end, from start on. A list that is
// damaged gives none: the table is the same without them.
func readIndices(ctx context.Context, r objstore.Reader, at int64, b []byte, start int64, object string) ([]*Index, error) {
	if at >= start {
		return indicesIn(b[at-start:], object), nil
	}
	head, err := r.ReadRanges(ctx, []objstore.Range{{Offset: at, Size: min(tailRead, r.Size()-at)}})
	if err != nil || len(head[0]) < lengthSize {
		return nil, err
	}
	whole := lengthSize + int64(le.Uint32(head[0]))
	if whole <= int64(len(head[0])) {
		return indicesIn(head[0], object), nil
	}
	if whole > maxIndexSection || whole > r.Size()-at {
		return nil, nil
	}
	all, err := r.ReadRanges(ctx, []objstore.Range{{Offset: at, Size: whole}})
	if err != nil {
		return nil, err
	}
	return indicesIn(all[0], object), nil
}

// indicesIn gives the indices of a section that b begins with, nil where it is damaged.
func indicesIn(b []byte, object string) []*Index {
	if len(b) < lengthSize || uint64(le.Uint32(b)) > uint64(len(b)-lengthSize) {
		return nil
	}
	list, err := parseIndices(b[lengthSize:][:le.Uint32(b)], object)
	if err != nil {
		return nil
	}
	return list
}

// Latest reads the newest version of a branch.
func Latest(ctx context.Context, s objstore.Store, dir string) (*Manifest, error) {
	file, err := Newest(ctx, s, dir)
	if err != nil {
		return nil, err
	}
	return ReadManifest(ctx, s, dir, file)
}

// FindVersion finds the manifest file of a version by its number, without listing. A version that is not there is an
// errs.ErrNotFound.
func FindVersion(ctx context.Context, s objstore.Store, dir string, version uint64) (VersionFile, error) {
	for _, name := range versionNames(version) {
		info, err := s.Stat(ctx, join(dir, name))
		if errors.Is(err, errs.ErrNotFound) {
			continue
		}
		if err != nil {
			return VersionFile{}, err
		}
		return VersionFile{Version: version, Name: name, ETag: info.ETag, Size: info.Size}, nil
	}
	return VersionFile{}, errs.NotFoundf("version %d does not exist, or was cleaned up", version)
}

// AtVersion reads a version of a branch by its number.
func AtVersion(ctx context.Context, s objstore.Store, dir string, version uint64) (*Manifest, error) {
	file, err := FindVersion(ctx, s, dir, version)
	if err != nil {
		return nil, err
	}
	return ReadManifest(ctx, s, dir, file)
}

// AsOf reads the version of a branch that was the newest at a time, as NewestAt finds it.
func AsOf(ctx context.Context, s objstore.Store, dir string, t time.Time) (*Manifest, error) {
	files, err := ListVersions(ctx, s, dir)
	if err != nil {
		return nil, err
	}
	return NewestAt(files, t, func(f VersionFile) (*Manifest, error) { return ReadManifest(ctx, s, dir, f) })
}

// NewestAt gives the version that was the newest at a time, of all that ListVersions gave. They are read one by one from
// the newest on, so a time long past costs a read for each version since. Where all are younger, or the one that was the
// newest may have been cleaned up, it is an errs.ErrNotFound that says so.
func NewestAt(files []VersionFile, t time.Time, read func(VersionFile) (*Manifest, error)) (*Manifest, error) {
	when := t.UTC().Format(time.RFC3339Nano)
	var m *Manifest
	for i, f := range files {
		var err error
		if m, err = read(f); err != nil {
			return nil, err
		}
		if m.Timestamp.After(t) {
			continue
		}
		// Numbers of versions have no gaps but those that a clean-up leaves.
		if i > 0 && files[i-1].Version > f.Version+1 && t.Sub(m.Timestamp) >= time.Microsecond {
			return nil, errs.NotFoundf("the version that was newest at %s may be one of %d to %d, which were cleaned up", when, f.Version+1, files[i-1].Version-1)
		}
		return m, nil
	}
	cleaned := ""
	if m.Version > 1 && m.Branch == "" {
		cleaned = ", those before it were cleaned up"
	}
	return nil, errs.NotFoundf("no version is as old as %s: the oldest is version %d of %s%s", when, m.Version, m.Timestamp.UTC().Format(time.RFC3339Nano), cleaned)
}
