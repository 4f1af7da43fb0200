package cloud

import (
	"context"
	"errors"
	"net/http"
	"os"
	"strings"
	"sync"

	"github.com/aws/aws-sdk-go-v2/aws"
	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/credentials/stscreds"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"
	"github.com/aws/aws-sdk-go-v2/service/sts"
	"github.com/aws/smithy-go"
	"github.com/aws/smithy-go/logging"
)

// s3Driver reads a bucket by the S3 protocol.
type s3Driver struct {
	bucket string
	client func() (*s3.Client, error)
}

// defaultRegion is the one that requests are signed for where none is told, as other stores that speak S3 want any.
const defaultRegion = "us-east-1"

// newS3 takes the parameters of a bucket. All else comes from the SDK's own chain: environment, shared files, roles. The
// files are read with the first request.
func newS3(ctx context.Context, o *Opener, bucket string, q *params) (driver, error) {
	h := awshttp.NewBuildableClient().WithTransportOptions(func(t *http.Transport) { configure(t, o.o.Requests) })
	load := []func(*config.LoadOptions) error{
		config.WithHTTPClient(h),
		config.WithDefaultRegion(defaultRegion),
		config.WithLogger(logging.Nop{}),
		config.WithResponseChecksumValidation(aws.ResponseChecksumValidationWhenRequired),
	}
	if v := q.text("region"); v != "" {
		load = append(load, config.WithRegion(v))
	}
	if v := q.text("profile"); v != "" {
		load = append(load, config.WithSharedConfigProfile(v))
	}
	endpoint, role := q.text("endpoint"), q.text("role")
	anonymous, _, err := q.flag("anonymous")
	if err != nil {
		return nil, err
	}
	if anonymous {
		load = append(load, config.WithCredentialsProvider(aws.AnonymousCredentials{}))
	}
	own, err := s3Options(q)
	if err != nil {
		return nil, err
	}
	own = append([]func(*s3.Options){func(so *s3.Options) {
		so.RetryMaxAttempts = 1 // attempts are made here, where it is known what was read
		if endpoint != "" {
			so.BaseEndpoint = aws.String(endpoint)
		}
		// Other stores mostly know no host for each bucket.
		so.UsePathStyle = so.BaseEndpoint != nil
	}}, own...)
	return &s3Driver{bucket: bucket, client: sync.OnceValues(func() (*s3.Client, error) {
		cfg, err := config.LoadDefaultConfig(ctx, load...)
		if err != nil {
			return nil, noCredentials()
		}
		if e := os.Getenv("AWS_ENDPOINT"); cfg.BaseEndpoint == nil && e != "" && os.Getenv("AWS_ENDPOINT_URL_S3") == "" {
			cfg.BaseEndpoint = aws.String(e) // the name that other readers of Lance know
		}
		if role != "" {
			cfg.Credentials = aws.NewCredentialsCache(stscreds.NewAssumeRoleProvider(sts.NewFromConfig(cfg), role))
		}
		return s3.NewFromConfig(cfg, own...), nil
	})}, nil
}

// s3Options takes the parameters that are flags.
func s3Options(q *params) ([]func(*s3.Options), error) {
	var own []func(*s3.Options)
	for name, set := range map[string]func(*s3.Options, bool){
		"use_path_style":   func(so *s3.Options, on bool) { so.UsePathStyle = on },
		"s3ForcePathStyle": func(so *s3.Options, on bool) { so.UsePathStyle = on },
		"disable_https":    func(so *s3.Options, on bool) { so.EndpointOptions.DisableHTTPS = on },
		"accelerate":       func(so *s3.Options, on bool) { so.UseAccelerate = on },
		"dualstack": func(so *s3.Options, on bool) {
			so.EndpointOptions.UseDualStackEndpoint = aws.DualStackEndpointStateDisabled
			if on {
				so.EndpointOptions.UseDualStackEndpoint = aws.DualStackEndpointStateEnabled
			}
		},
		"fips": func(so *s3.Options, on bool) {
			so.EndpointOptions.UseFIPSEndpoint = aws.FIPSEndpointStateDisabled
			if on {
				so.EndpointOptions.UseFIPSEndpoint = aws.FIPSEndpointStateEnabled
			}
		},
	} {
		on, given, err := q.flag(name)
		if err != nil {
			return nil, err
		}
		if given {
			own = append(own, func(so *s3.Options) { set(so, on) })
		}
	}
	return own, nil
}

func (d *s3Driver) get(ctx context.Context, key string, offset, size int64, etag string) (*object, error) {
	c, err := d.client()
	if err != nil {
		return nil, err
	}
	in := &s3.GetObjectInput{Bucket: &d.bucket, Key: &key, IfMatch: ifMatch(etag)}
	if size >= 0 {
		in.Range = aws.String(rangeHeader(offset, size))
	}
	out, err := c.GetObject(ctx, in)
	if err != nil {
		return nil, s3Fault(err)
	}
	o := &object{body: out.Body, attrs: attrs{etag: bare(aws.ToString(out.ETag), out.LastModified), mod: aws.ToTime(out.LastModified)}}
	if err := o.setPart(aws.ToString(out.ContentRange), aws.ToInt64(out.ContentLength)); err != nil {
		_ = out.Body.Close()
		return nil, err
	}
	return o, nil
}

func (d *s3Driver) head(ctx context.Context, key string) (attrs, error) {
	c, err := d.client()
	if err != nil {
		return attrs{}, err
	}
	out, err := c.HeadObject(ctx, &s3.HeadObjectInput{Bucket: &d.bucket, Key: &key})
	if err != nil {
		return attrs{}, s3Fault(err)
	}
	return attrs{size: aws.ToInt64(out.ContentLength), etag: bare(aws.ToString(out.ETag), out.LastModified), mod: aws.ToTime(out.LastModified)}, nil
}

func (d *s3Driver) list(ctx context.Context, prefix, token string, limit int) (*page, error) {
	c, err := d.client()
	if err != nil {
		return nil, err
	}
	in := &s3.ListObjectsV2Input{Bucket: &d.bucket, Prefix: &prefix, Delimiter: aws.String("/"), MaxKeys: aws.Int32(int32(limit)), EncodingType: types.EncodingTypeUrl}
	if token != "" {
		in.ContinuationToken = &token
	}
	out, err := c.ListObjectsV2(ctx, in)
	if err != nil {
		return nil, s3Fault(err)
	}
	p := &page{next: aws.ToString(out.NextContinuationToken)}
	for _, o := range out.Contents {
		key, err := unescape(aws.ToString(o.Key), out.EncodingType)
		if err != nil {
			return nil, err
		}
		p.objects = append(p.objects, listed{key, attrs{size: aws.ToInt64(o.Size), etag: bare(aws.ToString(o.ETag), o.LastModified), mod: aws.ToTime(o.LastModified)}})
	}
	for _, f := range out.CommonPrefixes {
		key, err := unescape(aws.ToString(f.Prefix), out.EncodingType)
		if err != nil {
			return nil, err
		}
		p.folders = append(p.folders, key)
	}
	return p, nil
}

// s3Fault keeps of the SDK's error what may be shown: its text holds the request.
func s3Fault(err error) error {
	var f *fault
	if errors.As(err, &f) {
		return err
	}
	code := ""
	var api smithy.APIError
	if errors.As(err, &api) {
		code = api.ErrorCode()
	}
	var answer *awshttp.ResponseError
	if errors.As(err, &answer) && answer.HTTPStatusCode() != 0 {
		return answered(answer.HTTPStatusCode(), code)
	}
	if text := err.Error(); strings.Contains(text, "get identity") || strings.Contains(text, "get credentials") || strings.Contains(text, "sign") {
		return noCredentials()
	}
	return broken(err)
}
