package main

import (
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"os"
)

// checkExposure refuses an address that other machines reach: there is no authentication yet.
func checkExposure(listen string, insecure bool) error {
	if insecure {
		return nil
	}
	host, _, err := net.SplitHostPort(listen)
	if err != nil {
		return fmt.Errorf("--listen %s: %w", listen, err)
	}
	if host == "localhost" {
		return nil
	}
	if ip := net.ParseIP(host); ip != nil && ip.IsLoopback() {
		return nil
	}
	return fmt.Errorf("--listen %s: other machines can reach this address, and there is no authentication; --insecure serves there all the same", listen)
}

func (f serveFlags) tlsConfig() (*tls.Config, error) {
	if f.tlsCert == "" && f.tlsKey == "" {
		return nil, nil
	}
	if f.tlsCert == "" || f.tlsKey == "" {
		return nil, errors.New("--tls-cert and --tls-key go together")
	}
	pair, err := tls.LoadX509KeyPair(f.tlsCert, f.tlsKey)
	if err != nil {
		return nil, err
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
		return nil, err
	}
	if len(key) < minKeyBytes {
		return nil, fmt.Errorf("%s: a ticket key has at least %d bytes, this one has %d", file, minKeyBytes, len(key))
	}
	return key, nil
}
