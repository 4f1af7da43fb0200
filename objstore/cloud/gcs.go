package cloud

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"

	"golang.org/x/oauth2"
	"golang.org/x/oauth2/google"
)

// gcsDriver reads a bucket of Google Cloud Storage by its JSON interface. An object's generation stands for its etag.
type gcsDriver struct {
	base   string // "https://host/storage/v1/b/BUCKET/o"
	client func() (*http.Client, error)
}

const (
	gcsHost  = "https://storage.googleapis.com"
	gcsScope = "https://www.googleapis.com/auth/devstorage.read_only"
	// errorBytes is the most that is read of an answer that tells of an error, listBytes of a listing.
	errorBytes = 64 << 10
	listBytes  = 64 << 20
)

// newGCS takes the parameters of a bucket. STORAGE_EMULATOR_HOST names another host, which then asks for no credentials.
func newGCS(o *Opener, bucket string, q *params) (driver, error) {
	host := q.text("endpoint")
	anonymous, _, err := q.flag("anonymous")
	if err != nil {
		return nil, err
	}
	if e := os.Getenv("STORAGE_EMULATOR_HOST"); host == "" && e != "" {
		host, anonymous = e, true
		if !strings.Contains(host, "://") {
			host = "http://" + host
		}
	}
	if host == "" {
		host = gcsHost
	}
	d := &gcsDriver{base: strings.TrimRight(host, "/") + "/storage/v1/b/" + url.PathEscape(bucket) + "/o"}
	d.client = sync.OnceValues(func() (*http.Client, error) {
		if anonymous {
			return o.http, nil
		}
		ctx := context.WithValue(context.Background(), oauth2.HTTPClient, o.http)
		cred, err := google.FindDefaultCredentials(ctx, gcsScope)
		if err != nil {
			return nil, noCredentials()
		}
		return &http.Client{Transport: &oauth2.Transport{Source: cred.TokenSource, Base: o.http.Transport}}, nil
	})
	return d, nil
}

// do makes a request for a key, or for the listing where it is empty.
func (d *gcsDriver) do(ctx context.Context, key string, query url.Values, header http.Header) (*http.Response, error) {
	c, err := d.client()
	if err != nil {
		return nil, err
	}
	u := d.base
	if key != "" {
		u += "/" + url.PathEscape(key)
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, u+"?"+query.Encode(), nil)
	if err != nil {
		return nil, &fault{what: "the store's endpoint is no URL"}
	}
	for name, v := range header {
		req.Header[name] = v
	}
	resp, err := c.Do(req)
	if err != nil {
		var token *oauth2.RetrieveError
		if errors.As(err, &token) && token.Response != nil && token.Response.StatusCode < 500 {
			return nil, noCredentials()
		}
		return nil, broken(err)
	}
	if resp.StatusCode >= 300 {
		defer func() { _ = resp.Body.Close() }()
		return nil, answered(resp.StatusCode, gcsCode(resp.Body))
	}
	return resp, nil
}

// gcsCode reads the service's word out of the answer that tells of an error.
func gcsCode(body io.Reader) string {
	var answer struct {
		Error struct {
			Errors []struct{ Reason string }
		}
	}
	if json.NewDecoder(io.LimitReader(body, errorBytes)).Decode(&answer) != nil || len(answer.Error.Errors) == 0 {
		return ""
	}
	return answer.Error.Errors[0].Reason
}

func (d *gcsDriver) get(ctx context.Context, key string, offset, size int64, etag string) (*object, error) {
	q, h := url.Values{"alt": {"media"}}, http.Header{"Accept-Encoding": {"gzip"}} // objects that are stored by gzip come as they are
	if _, err := strconv.ParseUint(etag, 10, 64); err == nil {
		q.Set("ifGenerationMatch", etag)
	}
	if size >= 0 {
		h.Set("Range", rangeHeader(offset, size))
	}
	resp, err := d.do(ctx, key, q, h)
	if err != nil {
		return nil, err
	}
	mod, _ := http.ParseTime(resp.Header.Get("Last-Modified"))
	o := &object{body: resp.Body, attrs: attrs{etag: bare(resp.Header.Get("X-Goog-Generation"), &mod), mod: mod}}
	if err := o.setPart(resp.Header.Get("Content-Range"), resp.ContentLength); err != nil {
		_ = resp.Body.Close()
		return nil, err
	}
	return o, nil
}

// gcsObject is an object's description.
type gcsObject struct {
	Name       string    `json:"name"`
	Size       string    `json:"size"`
	Generation string    `json:"generation"`
	Updated    time.Time `json:"updated"`
}

func (g gcsObject) attrs() (attrs, error) {
	n, err := strconv.ParseInt(g.Size, 10, 64)
	if err != nil || n < 0 {
		return attrs{}, &fault{what: "the store does not tell the object's size"}
	}
	return attrs{size: n, etag: bare(g.Generation, &g.Updated), mod: g.Updated}, nil
}

func (d *gcsDriver) head(ctx context.Context, key string) (attrs, error) {
	var g gcsObject
	if err := d.decode(ctx, key, url.Values{"fields": {"name,size,generation,updated"}}, &g); err != nil {
		return attrs{}, err
	}
	return g.attrs()
}

func (d *gcsDriver) decode(ctx context.Context, key string, q url.Values, into any) error {
	resp, err := d.do(ctx, key, q, nil)
	if err != nil {
		return err
	}
	defer func() { _ = resp.Body.Close() }()
	if err := json.NewDecoder(io.LimitReader(resp.Body, listBytes)).Decode(into); err != nil {
		return broken(io.ErrUnexpectedEOF)
	}
	return nil
}

func (d *gcsDriver) list(ctx context.Context, prefix, token string, limit int) (*page, error) {
	q := url.Values{
		"prefix": {prefix}, "delimiter": {"/"}, "maxResults": {strconv.Itoa(limit)},
		"fields": {"nextPageToken,prefixes,items(name,size,generation,updated)"},
	}
	if token != "" {
		q.Set("pageToken", token)
	}
	var answer struct {
		NextPageToken string      `json:"nextPageToken"`
		Prefixes      []string    `json:"prefixes"`
		Items         []gcsObject `json:"items"`
	}
	if err := d.decode(ctx, "", q, &answer); err != nil {
		return nil, err
	}
	p := &page{folders: answer.Prefixes, next: answer.NextPageToken}
	for _, g := range answer.Items {
		a, err := g.attrs()
		if err != nil {
			return nil, err
		}
		p.objects = append(p.objects, listed{g.Name, a})
	}
	return p, nil
}
