//go:build integration

package integration_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/lanceflight/flightsrv/integration/serve"
)

// The user of these tests; the password tries what credentials in headers may get wrong.
const (
	testUser     = "ann"
	testPassword = "pa:ß wörd"
)

// usersFile makes a users file with the built program.
func usersFile(t *testing.T) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "users")
	cmd := exec.Command(serve.Binary(), "user", "--users", file, "add", testUser)
	cmd.Stdin = strings.NewReader(testPassword + "\n")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return file
}

// certificate makes one that signs itself, for 127.0.0.1, and gives the files of it and of its key.
func certificate(t *testing.T) (cert, key string) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "test"}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(24 * time.Hour), IsCA: true, BasicConstraintsValid: true,
		KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &private.PublicKey, private)
	if err != nil {
		t.Fatal(err)
	}
	secret, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for name, block := range map[string]*pem.Block{"cert.pem": {Type: "CERTIFICATE", Bytes: der}, "key.pem": {Type: "PRIVATE KEY", Bytes: secret}} {
		if err := os.WriteFile(filepath.Join(dir, name), pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
}

// TestUsers logs in as each client does, with and without TLS, and fails to with wrong credentials.
func TestUsers(t *testing.T) {
	data, users := serve.DemoData(t), usersFile(t)
	cert, key := certificate(t)
	for name, tt := range map[string]struct{ serve, client []string }{
		"plain": {[]string{"--users", users}, nil},
		"TLS":   {[]string{"--users", users, "--tls-cert", cert, "--tls-key", key}, []string{cert}},
	} {
		t.Run(name, func(t *testing.T) {
			addr := serve.Start(t, data, tt.serve...).Addr
			args := append([]string{addr, testUser, testPassword}, tt.client...)
			script := filepath.Join(serve.Root(), "integration", "python", "users.py")
			t.Run("Python", func(t *testing.T) {
				serve.RunChecks(t, exec.Command(serve.Python(), append([]string{script}, args...)...))
			})
			t.Run("JDBC", func(t *testing.T) {
				serve.RunChecks(t, serve.Java(t, filepath.Join(serve.Root(), "integration", "jdbc", "Users.java"), args...))
			})
			t.Run("query", func(t *testing.T) { queryAsUser(t, addr, tt.client) })
		})
	}
}

func queryAsUser(t *testing.T, addr string, ca []string) {
	server, trust := "grpc://"+addr, []string(nil)
	if ca != nil {
		server, trust = "grpc+tls://"+addr, []string{"--tls-ca", ca[0]}
	}
	for name, tt := range map[string]struct {
		password string
		flags    []string
		want     string // part of what is printed
	}{
		"right":       {testPassword, []string{"--user", testUser}, "n\n4\n"},
		"wrong":       {"x", []string{"--user", testUser}, "credentials"},
		"no user":     {testPassword, []string{"--user", "carl"}, "credentials"},
		"nobody asks": {testPassword, nil, "credentials"},
	} {
		args := append([]string{"query", "--server", server, "--format", "csv"}, append(tt.flags, trust...)...)
		cmd := exec.Command(serve.Binary(), append(args, "SELECT count(*) AS n FROM worked")...)
		cmd.Env = append(os.Environ(), "FLIGHTSRV_PASSWORD="+tt.password)
		out, err := cmd.CombinedOutput()
		if (err == nil) != (name == "right") || !strings.Contains(string(out), tt.want) {
			t.Errorf("%s: %v, %q; want %q", name, err, out, tt.want)
		}
	}
}
