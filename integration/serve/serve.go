// Package serve starts the built server for the integration tests.
package serve

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"syscall"
	"testing"
	"time"
)

var listening = regexp.MustCompile(`listening on grpc(?:\+tls)?://([^\s"]+)`)

// Root is the repository's folder.
func Root() string {
	dir, err := os.Getwd() // tests run in their package's folder
	for ; err == nil; dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil || dir == filepath.Dir(dir) {
			return dir
		}
	}
	return "."
}

// Binary is the built program; `make build` leaves it there.
func Binary() string { return filepath.Join(Root(), "bin", "flightsrv") }

// Python is the interpreter with the pinned packages; `make setup` makes it.
func Python() string { return filepath.Join(Root(), ".venv", "bin", "python") }

// DemoData writes the demo tables with `flightsrv demo` into a folder of the test.
func DemoData(t testing.TB) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "demo")
	if out, err := exec.Command(Binary(), "demo", dir).CombinedOutput(); err != nil {
		t.Fatalf("flightsrv demo: %v\n%s", err, out)
	}
	return dir
}

// Server is a running server.
type Server struct {
	Addr string // host:port
	PID  int
	cmd  *exec.Cmd
	done chan error
}

// Start serves dir on a free port; the test's end stops it and demands exit status 0.
func Start(t testing.TB, dir string, args ...string) *Server {
	t.Helper()
	cmd := exec.Command(Binary(), append([]string{"serve", "--data", dir, "--listen", "127.0.0.1:0"}, args...)...)
	cmd.Env = append(os.Environ(), "TZ=UTC")
	stderr, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	s := &Server{cmd: cmd, PID: cmd.Process.Pid, done: make(chan error, 1)}
	addr := make(chan string, 1)
	go s.watch(bufio.NewScanner(stderr), addr)
	select {
	case s.Addr = <-addr:
	case err := <-s.done:
		t.Fatalf("the server ended at once: %v", err)
	case <-time.After(30 * time.Second):
		t.Fatal("the server does not listen")
	}
	t.Cleanup(func() { s.stop(t) })
	return s
}

// watch reads the log to its end, so that the server never blocks on it.
func (s *Server) watch(lines *bufio.Scanner, addr chan<- string) {
	lines.Buffer(nil, 1<<22)
	last := ""
	for lines.Scan() {
		last = lines.Text()
		if m := listening.FindStringSubmatch(last); m != nil {
			addr <- m[1]
		}
	}
	if err := s.cmd.Wait(); err != nil {
		s.done <- fmt.Errorf("%w: %s", err, last)
		return
	}
	s.done <- nil
}

func (s *Server) stop(t testing.TB) {
	if err := s.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Errorf("stopping the server: %v", err)
	}
	select {
	case err := <-s.done:
		if err != nil {
			t.Errorf("the server ended with %v", err)
		}
	case <-time.After(30 * time.Second):
		_ = s.cmd.Process.Kill()
		t.Error("the server did not end within 30 s of SIGTERM")
	}
}
