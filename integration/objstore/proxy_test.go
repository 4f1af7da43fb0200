//go:build integration

package objstore_test

import (
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"
)

// fault is what a proxy does to one request.
type fault int

const (
	none   fault = iota
	status       // answers 500
	slow         // answers 503 SlowDown
	reset        // breaks the connection before the answer
	cut          // breaks it in the middle of the body
	stall        // sends half of the body, and then nothing
)

// proxy stands between a client and an S3 server: it makes answers late, and faulty as a test wants.
type proxy struct {
	url     string
	latency time.Duration
	// quiet holds requests back until none came for so long, and lets all go on at once then: a round. How many rounds there
	// are does not depend on how fast anything runs.
	quiet time.Duration
	// decide tells what happens to a request; nil for nothing. n counts requests from 0.
	decide func(n int, r *http.Request) fault

	mu     sync.Mutex
	seen   []request
	held   chan struct{} // closed when the round's requests go on
	wait   *time.Timer
	rounds int
	stop   chan struct{} // closed when stalled answers end
}

// request is one that a proxy saw.
type request struct {
	method, path, query, rng string
}

func newProxy(t testing.TB, upstream string) *proxy {
	t.Helper()
	p := &proxy{stop: make(chan struct{})}
	tr := &http.Transport{MaxIdleConnsPerHost: 512, DisableCompression: true}
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { p.serve(w, r, upstream, tr) }))
	p.url = srv.URL
	t.Cleanup(func() {
		close(p.stop)
		srv.CloseClientConnections()
		srv.Close()
		tr.CloseIdleConnections()
	})
	return p
}

func (p *proxy) serve(w http.ResponseWriter, r *http.Request, upstream string, tr http.RoundTripper) {
	p.join()
	time.Sleep(p.latency)
	p.mu.Lock()
	n := len(p.seen)
	p.seen = append(p.seen, request{method: r.Method, path: r.URL.Path, query: r.URL.RawQuery, rng: r.Header.Get("Range")})
	p.mu.Unlock()
	what := none
	if p.decide != nil {
		what = p.decide(n, r)
	}
	switch what {
	case status:
		http.Error(w, "<Error><Code>InternalError</Code></Error>", http.StatusInternalServerError)
		return
	case slow:
		http.Error(w, "<Error><Code>SlowDown</Code></Error>", http.StatusServiceUnavailable)
		return
	case reset:
		breakOff(w)
		return
	}
	req := r.Clone(r.Context())
	req.URL.Scheme, req.URL.Host = "http", upstream[len("http://"):]
	req.RequestURI = ""
	req.Host = r.Host // it is signed
	resp, err := tr.RoundTrip(req)
	if err != nil {
		breakOff(w)
		return
	}
	defer func() { _ = resp.Body.Close() }()
	for k, v := range resp.Header {
		w.Header()[k] = v
	}
	w.WriteHeader(resp.StatusCode)
	if what == cut || what == stall {
		_, _ = io.CopyN(w, resp.Body, resp.ContentLength/2)
		if what == stall {
			w.(http.Flusher).Flush()
			select {
			case <-r.Context().Done():
			case <-p.stop:
			}
		}
		breakOff(w)
		return
	}
	_, _ = io.Copy(w, resp.Body)
}

// join waits for the end of the round.
func (p *proxy) join() {
	if p.quiet == 0 {
		return
	}
	p.mu.Lock()
	if p.held == nil {
		p.held = make(chan struct{})
		p.wait = time.AfterFunc(p.quiet, func() {
			p.mu.Lock()
			defer p.mu.Unlock()
			close(p.held)
			p.held = nil
			p.rounds++
		})
	} else {
		p.wait.Reset(p.quiet)
	}
	held := p.held
	p.mu.Unlock()
	<-held
}

// breakOff ends a connection as a host that goes down does.
func breakOff(w http.ResponseWriter) {
	c, _, err := w.(http.Hijacker).Hijack()
	if err != nil {
		return
	}
	if tcp, ok := c.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0)
	}
	_ = c.Close()
}

// take gives what was seen so far, and begins anew.
func (p *proxy) take() []request {
	p.mu.Lock()
	defer p.mu.Unlock()
	seen := p.seen
	p.seen = nil
	return seen
}
