package main

import (
	"crypto/tls"
	"fmt"
	"net"
	"os"
	"strconv"
	"strings"

	"github.com/lanceflight/flightsrv/flightsql"
	"github.com/lanceflight/flightsrv/users"
)

// checkExposure refuses an address that other machines reach, unless users are asked for and their passwords are not
// sent in the clear.
func (f serveFlags) checkExposure() error {
	if f.insecure {
		return nil
	}
	host, _, err := net.SplitHostPort(f.listen)
	if err != nil {
		return usagef("--listen %s: %w", f.listen, err)
	}
	if host == "localhost" {
		return nil
	}
	if ip := net.ParseIP(host); ip != nil && ip.IsLoopback() {
		return nil
	}
	var missing []string
	if f.users == "" {
		missing = append(missing, "--users")
	}
	if f.tlsCert == "" {
		missing = append(missing, "--tls-cert and --tls-key")
	}
	if len(missing) == 0 {
		return nil
	}
	return usagef("--listen %s: other machines can reach this address: give %s, or --insecure to serve there all the same", f.listen, strings.Join(missing, ", "))
}

// openUsers gives who may connect; nil without a file.
func openUsers(file string) (flightsql.Users, error) {
	if file == "" {
		return nil, nil
	}
	f, err := users.Open(file)
	if err != nil {
		return nil, fmt.Errorf("--users: %w", err)
	}
	return f, nil
}

// checkAdvertise refuses what no client could dial.
func checkAdvertise(address string) error {
	if address == "" {
		return nil
	}
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return usagef("--advertise %s: %w", address, err)
	}
	if ip := net.ParseIP(host); host == "" || ip != nil && ip.IsUnspecified() {
		return usagef("--advertise %s: clients can't dial this host", address)
	}
	if n, err := strconv.ParseUint(port, 10, 16); err != nil || n == 0 {
		return usagef("--advertise %s: %q is no port that clients can dial", address, port)
	}
	return nil
}

func (f serveFlags) tlsConfig() (*tls.Config, error) {
	if f.tlsCert == "" && f.tlsKey == "" {
		return nil, nil
	}
	if f.tlsCert == "" || f.tlsKey == "" {
		return nil, usagef("--tls-cert and --tls-key go together")
	}
	pair, err := tls.LoadX509KeyPair(f.tlsCert, f.tlsKey)
	if err != nil {
		return nil, fmt.Errorf("--tls-cert and --tls-key: %w", err)
	}
	return &tls.Config{Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS12}, nil
}

// minKeyBytes is the shortest key that signs tickets.
const minKeyBytes = 16

func readTicketKey(file string) ([]byte, error) {
	if file == "" {
		return nil, nil
	}
	key, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("--ticket-key: %w", err)
	}
	if len(key) < minKeyBytes {
		return nil, fmt.Errorf("%s: a ticket key has at least %d bytes, this one has %d", file, minKeyBytes, len(key))
	}
	return key, nil
}
