package cloud

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/to"
	"github.com/Azure/azure-sdk-for-go/sdk/azidentity"
	"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob/blob"
	"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob/container"
)

// azureDriver reads a container of Azure Blob Storage.
type azureDriver struct {
	client func() (*container.Client, error)
}

// azureAccount is how an account is reached.
type azureAccount struct{ name, key, sas, domain, protocol, connection string }

// newAzure takes the parameters of a container. The account's key, token or connection string come from the environment
// (AZURE_STORAGE_ACCOUNT with AZURE_STORAGE_KEY or AZURE_STORAGE_SAS_TOKEN, AZURE_STORAGE_CONNECTION_STRING), else the
// credentials from the SDK's own chain.
func newAzure(o *Opener, name string, q *params) (driver, error) {
	a := azureAccount{
		name: os.Getenv("AZURE_STORAGE_ACCOUNT"), key: os.Getenv("AZURE_STORAGE_KEY"), sas: os.Getenv("AZURE_STORAGE_SAS_TOKEN"),
		domain: os.Getenv("AZURE_STORAGE_DOMAIN"), protocol: os.Getenv("AZURE_STORAGE_PROTOCOL"),
		connection: os.Getenv("AZURE_STORAGE_CONNECTION_STRING"),
	}
	for param, into := range map[string]*string{"storage_account": &a.name, "domain": &a.domain, "protocol": &a.protocol} {
		if v := q.text(param); v != "" {
			*into = v
		}
	}
	local, given, err := q.flag("localemu")
	if err != nil {
		return nil, err
	}
	if !given {
		local, _ = strconv.ParseBool(os.Getenv("AZURE_STORAGE_IS_LOCAL_EMULATOR"))
	}
	anonymous, _, err := q.flag("anonymous")
	if err != nil {
		return nil, err
	}
	u, err := a.url(name, local)
	if err != nil {
		return nil, err
	}
	return &azureDriver{sync.OnceValues(func() (*container.Client, error) { return a.open(o, u, name, anonymous) })}, nil
}

// url is that of a container, without a token.
func (a azureAccount) url(name string, local bool) (string, error) {
	if a.domain == "" {
		a.domain = "blob.core.windows.net"
	}
	if a.protocol == "" {
		a.protocol = "https"
	}
	if a.protocol != "https" && a.protocol != "http" {
		return "", errors.New("parameter protocol takes http or https")
	}
	switch {
	case a.name == "" && a.connection != "":
		return "", nil
	case a.name == "":
		return "", errors.New("the storage account is not known: set AZURE_STORAGE_ACCOUNT or give ?storage_account=")
	case local || strings.HasPrefix(a.domain, "127.0.0.1") || strings.HasPrefix(a.domain, "localhost"):
		return fmt.Sprintf("%s://%s/%s/%s", a.protocol, a.domain, a.name, name), nil
	}
	return fmt.Sprintf("%s://%s.%s/%s", a.protocol, a.name, a.domain, name), nil
}

// open makes the client by the credentials that there are.
func (a azureAccount) open(o *Opener, u, name string, anonymous bool) (*container.Client, error) {
	opts := &container.ClientOptions{ClientOptions: azcore.ClientOptions{
		Retry:     policy.RetryOptions{MaxRetries: -1}, // attempts are made here, where it is known what was read
		Transport: o.http,
	}}
	var c *container.Client
	var err error
	switch {
	case anonymous:
		c, err = container.NewClientWithNoCredential(u, opts)
	case u == "" || a.connection != "" && a.key == "" && a.sas == "":
		c, err = container.NewClientFromConnectionString(a.connection, name, opts)
	case a.key != "":
		var cred *container.SharedKeyCredential
		if cred, err = container.NewSharedKeyCredential(a.name, a.key); err == nil {
			c, err = container.NewClientWithSharedKeyCredential(u, cred, opts)
		}
	case a.sas != "":
		c, err = container.NewClientWithNoCredential(u+"?"+strings.TrimPrefix(a.sas, "?"), opts)
	default:
		var cred azcore.TokenCredential
		if cred, err = azidentity.NewDefaultAzureCredential(nil); err == nil {
			c, err = container.NewClient(u, cred, opts)
		}
	}
	if err != nil {
		return nil, noCredentials()
	}
	return c, nil
}

func (d *azureDriver) get(ctx context.Context, key string, offset, size int64, etag string) (*object, error) {
	c, err := d.client()
	if err != nil {
		return nil, err
	}
	opts := &blob.DownloadStreamOptions{}
	if size >= 0 {
		opts.Range = blob.HTTPRange{Offset: offset, Count: size}
	}
	if m := ifMatch(etag); m != nil {
		opts.AccessConditions = &blob.AccessConditions{ModifiedAccessConditions: &blob.ModifiedAccessConditions{IfMatch: to.Ptr(azcore.ETag(*m))}}
	}
	out, err := c.NewBlobClient(key).DownloadStream(ctx, opts)
	if err != nil {
		return nil, azureFault(err)
	}
	o := &object{body: out.Body, attrs: azureAttrs(nil, out.ETag)}
	if out.LastModified != nil {
		o.mod = *out.LastModified
	}
	if err := o.setPart(value(out.ContentRange), azureLength(out.ContentLength)); err != nil {
		_ = out.Body.Close()
		return nil, err
	}
	return o, nil
}

func (d *azureDriver) head(ctx context.Context, key string) (attrs, error) {
	c, err := d.client()
	if err != nil {
		return attrs{}, err
	}
	out, err := c.NewBlobClient(key).GetProperties(ctx, nil)
	if err != nil {
		return attrs{}, azureFault(err)
	}
	a := azureAttrs(out.ContentLength, out.ETag)
	a.mod = value(out.LastModified)
	return a, nil
}

func (d *azureDriver) list(ctx context.Context, prefix, token string, limit int) (*page, error) {
	c, err := d.client()
	if err != nil {
		return nil, err
	}
	opts := &container.ListBlobsHierarchyOptions{Prefix: &prefix, MaxResults: to.Ptr(int32(limit))}
	if token != "" {
		opts.Marker = &token
	}
	out, err := c.NewListBlobsHierarchyPager("/", opts).NextPage(ctx)
	if err != nil {
		return nil, azureFault(err)
	}
	p := &page{next: value(out.NextMarker)}
	if out.Segment == nil {
		return p, nil
	}
	for _, b := range out.Segment.BlobItems {
		if b.Properties == nil {
			continue
		}
		a := azureAttrs(b.Properties.ContentLength, b.Properties.ETag)
		a.mod = value(b.Properties.LastModified)
		p.objects = append(p.objects, listed{value(b.Name), a})
	}
	for _, f := range out.Segment.BlobPrefixes {
		p.folders = append(p.folders, value(f.Name))
	}
	return p, nil
}

func azureAttrs(size *int64, etag *azcore.ETag) attrs {
	return attrs{size: value(size), etag: bare(string(value(etag)), nil)}
}

func azureLength(n *int64) int64 {
	if n == nil {
		return -1
	}
	return *n
}

// value is what a pointer of the SDK points to, or zero.
func value[T any](p *T) (v T) {
	if p != nil {
		v = *p
	}
	return v
}

// azureFault keeps of the SDK's error what may be shown: its text holds the URL, which may be signed.
func azureFault(err error) error {
	var f *fault
	if errors.As(err, &f) {
		return err
	}
	var answer *azcore.ResponseError
	if errors.As(err, &answer) {
		return answered(answer.StatusCode, answer.ErrorCode)
	}
	var auth *azidentity.AuthenticationFailedError
	if errors.As(err, &auth) || strings.Contains(err.Error(), "DefaultAzureCredential") {
		return noCredentials()
	}
	return broken(err)
}
