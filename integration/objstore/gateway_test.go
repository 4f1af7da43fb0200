//go:build integration

package objstore_test

import (
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/lanceflight/flightsrv/integration/serve"
)

const (
	accessKey = "test-access"
	secretKey = "test-secret-nobody-may-see"
	bucket    = "lake"
)

// startGateway runs an S3 server over a temporary folder, with one empty bucket, until stop is called, and gives its
// address. `make setup` installs the server.
func startGateway(t testing.TB) (endpoint, folder string, stop func()) {
	t.Helper()
	top, err := os.MkdirTemp("", "gateway-")
	if err != nil {
		t.Fatal(err)
	}
	folder, side := filepath.Join(top, "objects"), filepath.Join(top, "side")
	if err := errors.Join(os.MkdirAll(filepath.Join(folder, bucket), 0o755), os.Mkdir(side, 0o755)); err != nil {
		t.Fatal(err)
	}
	addr := freeAddr(t)
	cmd := exec.Command(filepath.Join(serve.Root(), ".cache", "versitygw"), "--port", addr, "--keep-alive", "--quiet", "posix", "--sidecar", side, folder)
	cmd.Env = append(os.Environ(), "ROOT_ACCESS_KEY="+accessKey, "ROOT_SECRET_KEY="+secretKey)
	log, err := os.Create(filepath.Join(top, "log"))
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stdout, cmd.Stderr = log, log
	if err := cmd.Start(); err != nil {
		t.Fatalf("%v: is it installed? make setup does that", err)
	}
	stop = func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		_ = log.Close()
		_ = os.RemoveAll(top)
	}
	endpoint = "http://" + addr
	for range 200 {
		resp, err := http.Get(endpoint)
		if err == nil {
			_, _ = io.Copy(io.Discard, resp.Body)
			_ = resp.Body.Close()
			return endpoint, folder, stop
		}
		time.Sleep(50 * time.Millisecond)
	}
	text, _ := os.ReadFile(log.Name())
	stop()
	t.Fatalf("the S3 server does not start: %s", text)
	return "", "", nil
}

func freeAddr(t testing.TB) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	return l.Addr().String()
}

// useCredentials sets what the SDKs' own chains look for, and nothing else of it.
func useCredentials(t testing.TB, endpoint string) {
	t.Helper()
	for name, value := range credentials(endpoint) {
		t.Setenv(name, value)
	}
}

func credentials(endpoint string) map[string]string {
	return map[string]string{
		"AWS_ACCESS_KEY_ID": accessKey, "AWS_SECRET_ACCESS_KEY": secretKey, "AWS_REGION": "us-east-1",
		"AWS_ENDPOINT_URL": endpoint, "AWS_EC2_METADATA_DISABLED": "true",
		"AWS_CONFIG_FILE": os.DevNull, "AWS_SHARED_CREDENTIALS_FILE": os.DevNull,
	}
}

// python runs a program of this folder with a server's address, and gives what it prints.
func python(t testing.TB, endpoint, program string, args ...string) []byte {
	t.Helper()
	cmd := exec.Command(serve.Python(), append([]string{filepath.Join(serve.Root(), "integration", "objstore", program), endpoint}, args...)...)
	cmd.Env = os.Environ()
	for name, value := range credentials(endpoint) {
		cmd.Env = append(cmd.Env, fmt.Sprintf("%s=%s", name, value))
	}
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s: %v\n%s", program, err, out)
	}
	return out
}
