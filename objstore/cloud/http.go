package cloud

import (
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/s3/types"
)

// rangeHeader asks for size bytes, at least one, from offset on.
func rangeHeader(offset, size int64) string {
	return fmt.Sprintf("bytes=%d-%d", offset, offset+size-1)
}

// bare is an etag without quotes; where an object has none, its time stands for it.
func bare(etag string, mod *time.Time) string {
	if etag == "" && mod != nil {
		return timeTag + mod.UTC().Format(time.RFC3339Nano)
	}
	return strings.Trim(etag, `"`)
}

// timeTag starts what stands for the etag of an object without one.
const timeTag = "time "

// ifMatch is the header that asks for an etag; nil where none may be asked for: one that is weak never matches.
func ifMatch(etag string) *string {
	if etag == "" || strings.HasPrefix(etag, timeTag) || strings.HasPrefix(etag, "W/") {
		return nil
	}
	quoted := `"` + etag + `"`
	return &quoted
}

// setPart reads which part of an object an answer holds off its headers; without a Content-Range it is all.
func (o *object) setPart(contentRange string, contentLength int64) error {
	if contentRange == "" {
		if contentLength < 0 {
			return &fault{what: "the store does not tell the object's size"}
		}
		o.size, o.length = contentLength, contentLength
		return nil
	}
	part, total, ok := strings.Cut(strings.TrimPrefix(contentRange, "bytes "), "/")
	first, last, ok2 := strings.Cut(part, "-")
	a, err1 := strconv.ParseInt(first, 10, 63)
	b, err2 := strconv.ParseInt(last, 10, 63)
	n, err3 := strconv.ParseInt(total, 10, 63)
	if !ok || !ok2 || err1 != nil || err2 != nil || err3 != nil || a < 0 || b < a || n <= b {
		return &fault{what: "the store's Content-Range can't be read"}
	}
	o.offset, o.length, o.size = a, b-a+1, n
	return nil
}

// unescape reads a key of a listing.
func unescape(key string, by types.EncodingType) (string, error) {
	if by != types.EncodingTypeUrl {
		return key, nil
	}
	k, err := url.QueryUnescape(key)
	if err != nil {
		return "", &fault{what: "the store's listing can't be read"}
	}
	return k, nil
}
