package flightsql

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"strings"
	"time"

	"github.com/klauspost/compress/zstd"

	"github.com/lanceflight/flightsrv/errs"
)

const (
	ticketVersion = 1
	macBytes      = sha256.Size
	// maxTicketBytes bounds a ticket, and what it may unpack to.
	maxTicketBytes = 256 << 20
	// ticketLife is how long a ticket can be read after it was made or renewed.
	ticketLife = time.Hour
)

// Layout of a ticket's handle:
//
//	byte 0       version
//	bytes 1-32   HMAC-SHA256 over byte 0 and all that follows the sum
//	rest         zstd of the JSON of a ticket
type ticket struct {
	ID      string `json:"id"`
	Expires int64  `json:"exp"` // seconds since 1970
	Query   query  `json:"q"`   // its settings name the user, who alone may use the ticket
}

// sealer makes tickets and tokens that only holders of the key can make. It is safe for concurrent use.
type sealer struct {
	key []byte
	now func() time.Time
	enc *zstd.Encoder
	dec *zstd.Decoder
}

// newSealer uses the given key, or a fresh one of this process where it is empty.
func newSealer(key []byte, now func() time.Time) (*sealer, error) {
	if len(key) == 0 {
		key = make([]byte, 32)
		_, _ = rand.Read(key) // never fails
	}
	enc, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderConcurrency(1), zstd.WithWindowSize(1<<20))
	if err != nil {
		return nil, err
	}
	dec, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(maxTicketBytes), zstd.WithDecoderLowmem(true))
	if err != nil {
		return nil, err
	}
	return &sealer{key: key, now: now, enc: enc, dec: dec}, nil
}

// seal gives the ticket of a query and when it expires. The id names its streams.
func (s *sealer) seal(id string, q query) ([]byte, time.Time, error) {
	expires := s.now().Add(ticketLife).Truncate(time.Second)
	text, err := json.Marshal(ticket{ID: id, Expires: expires.Unix(), Query: q})
	if err != nil {
		return nil, time.Time{}, err
	}
	out := make([]byte, 1+macBytes, 1+macBytes+len(text)/2+64)
	out[0] = ticketVersion
	out = s.enc.EncodeAll(text, out)
	copy(out[1:], s.sum(out[:1], out[1+macBytes:]))
	if len(out) > maxTicketBytes {
		return nil, time.Time{}, errs.Invalidf("the statement and its parameters make a ticket of %d bytes, at most %d are taken", len(out), maxTicketBytes)
	}
	return out, expires, nil
}

// open reads a user's ticket; whatever is no ticket of ours, is another user's or is out of date, is an ErrInvalidInput.
func (s *sealer) open(data []byte, user string) (*ticket, error) {
	if len(data) < 1+macBytes || data[0] != ticketVersion || len(data) > maxTicketBytes ||
		!hmac.Equal(data[1:1+macBytes], s.sum(data[:1], data[1+macBytes:])) {
		return nil, errs.Invalidf("this is no ticket of this server: ask for the flight's info again")
	}
	text, err := s.dec.DecodeAll(data[1+macBytes:], nil)
	if err != nil {
		return nil, errs.Invalidf("the ticket can't be unpacked: ask for the flight's info again")
	}
	var t ticket
	if err := json.Unmarshal(text, &t); err != nil {
		return nil, errs.Invalidf("the ticket can't be read: ask for the flight's info again")
	}
	if t.Query.Settings.User != user {
		return nil, errs.Invalidf("this is no ticket of this server: ask for the flight's info again")
	}
	if s.now().Unix() > t.Expires {
		return nil, errs.Invalidf("the ticket has expired: ask for the flight's info again")
	}
	return &t, nil
}

func (s *sealer) sum(parts ...[]byte) []byte {
	h := hmac.New(sha256.New, s.key)
	for _, p := range parts {
		h.Write(p)
	}
	return h.Sum(nil)
}

// tokenPrefix starts what sign gives out.
const tokenPrefix = "flightsrv-"

// Layout of a signed text: tokenPrefix, then base64url of
//
//	bytes 0-31   HMAC-SHA256 over "token" and all that follows the sum
//	rest         what was signed
func (s *sealer) sign(data []byte) string {
	return tokenPrefix + base64.RawURLEncoding.EncodeToString(append(s.sum([]byte("token"), data), data...))
}

// signed gives what sign was given.
func (s *sealer) signed(text string) ([]byte, bool) {
	rest, ours := strings.CutPrefix(text, tokenPrefix)
	data, err := base64.RawURLEncoding.DecodeString(rest)
	if !ours || err != nil || len(data) < macBytes || !hmac.Equal(data[:macBytes], s.sum([]byte("token"), data[macBytes:])) {
		return nil, false
	}
	return data[macBytes:], true
}

// newID gives 128 random bits in hex.
func newID() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails
	return hex.EncodeToString(b[:])
}
