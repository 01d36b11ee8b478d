package doctor

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/seed-3db51b0e/precis/internal/term"
	"github.com/seed-3db51b0e/precis/proxy"
)

// Proxy checks what a proxy needs beside its configuration: the address that it is to
// listen on, and its providers.
func Proxy(ctx context.Context, listen string, providers []proxy.Provider) []Finding {
	all := []Finding{port(ctx, listen)}
	for _, v := range providers {
		all = append(all, reachable(ctx, v))
	}
	return all
}

// port checks that nobody listens where the proxy is to, but for a proxy that runs there
// already.
func port(ctx context.Context, address string) Finding {
	f := Finding{Check: "port", OK: true, Found: address + " is free"}
	l, err := net.Listen("tcp", address)
	if err != nil {
		if state := running(ctx, address); state != "" {
			f.OK, f.Found = state == "ready", fmt.Sprintf("a precis proxy runs at %s: it says %s", address, state)
			if !f.OK {
				f.Fix = "its log on standard error says more; precis doctor with the --db of that proxy checks the database"
			}
			return f
		}
		f.OK, f.Found, f.Fix = false, err.Error(), "stop what listens there, or choose another address with --listen; port 0 takes a free one"
		return f
	}
	_ = l.Close() // nobody has connected
	return f
}

// running is what a proxy of this program that listens on an address says of its state: see
// /readyz; "" where none answers.
func running(ctx context.Context, address string) string {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return ""
	}
	if ip := net.ParseIP(host); host == "" || ip.IsUnspecified() {
		host = "localhost"
	}
	at := "http://" + net.JoinHostPort(host, port)
	if metrics, _ := said(ctx, at+"/metrics", saidTimeout); !strings.Contains(metrics, "precis") {
		return "" // it is another program
	}
	state, err := said(ctx, at+"/readyz", readyTimeout)
	if err != nil {
		return ""
	}
	return term.Line(state)
}

// A program of this machine answers at once, but for a proxy that is asked whether it is
// ready and waits for its database, a few seconds at most. Of what it says the beginning is
// of use.
const (
	saidTimeout  = time.Second
	readyTimeout = 5 * time.Second
	mostSaid     = 64 << 10 // bytes
)

// said is the beginning of what an address answers in time, whatever its status.
func said(ctx context.Context, address string, timeout time.Duration) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return "", fmt.Errorf("ask %s: %w", address, err)
	}
	resp, err := (&http.Client{Transport: &http.Transport{DisableKeepAlives: true}}).Do(r)
	if err != nil {
		return "", fmt.Errorf("ask %s: %w", address, err)
	}
	defer func() { _ = resp.Body.Close() }() // it was read as far as is of use
	data, err := io.ReadAll(io.LimitReader(resp.Body, mostSaid))
	if err != nil {
		return "", fmt.Errorf("read answer of %s: %w", address, err)
	}
	return string(data), nil
}

// answerTimeout bounds how long a provider may take to answer doctor.
const answerTimeout = 10 * time.Second

// reachable checks that a provider answers, whatever it says: without a key it
// refuses.
func reachable(ctx context.Context, v proxy.Provider) Finding {
	f := Finding{Check: v.Name, OK: true}
	ctx, cancel := context.WithTimeout(ctx, answerTimeout)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodHead, v.URL, nil)
	if err != nil {
		f.OK, f.Found = false, err.Error()
		return f
	}
	client := &http.Client{
		Transport:     &http.Transport{Proxy: http.ProxyFromEnvironment, DisableKeepAlives: true, ForceAttemptHTTP2: true},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	began := time.Now()
	resp, err := client.Do(r)
	if err != nil {
		var u *url.Error
		if errors.As(err, &u) {
			err = u.Err
		}
		f.OK, f.Found, f.Fix = false, fmt.Sprintf("%s does not answer: %v", r.URL.Host, err), advice(v.Name, err)
		return f
	}
	_ = resp.Body.Close() // a HEAD has none
	f.Found = fmt.Sprintf("%s answers, in %v", r.URL.Host, time.Since(began).Round(time.Millisecond))
	return f
}

// advice says what to do about a provider that does not answer.
func advice(provider string, err error) string {
	var name *net.DNSError
	var authority x509.UnknownAuthorityError
	var host x509.HostnameError
	var invalid x509.CertificateInvalidError
	var record tls.RecordHeaderError
	var alert tls.AlertError
	switch {
	case errors.As(err, &authority):
		return "its certificate is signed by nobody this machine trusts: add your company's root certificate to the system, or name its file in SSL_CERT_FILE"
	case errors.As(err, &host):
		return "its certificate is for another host: correct the URL, or ask who runs the gateway"
	case errors.As(err, &invalid) && invalid.Reason == x509.Expired:
		return "its certificate has expired, or this machine's clock is wrong"
	case errors.As(err, &invalid):
		return "its certificate cannot be used: ask who runs the gateway"
	case errors.As(err, &record) || errors.Is(err, http.ErrSchemeMismatch):
		return "it speaks no TLS: write http:// instead of https://, or correct the port"
	case errors.As(err, &alert):
		return "it ends the TLS handshake: it may want a client certificate or another host name"
	case errors.As(err, &name):
		return "correct the host in the URL; behind a company's proxy set HTTPS_PROXY"
	case errors.Is(err, context.DeadlineExceeded):
		return "a firewall may drop the connection: behind a company's proxy set HTTPS_PROXY"
	}
	return "correct the URL with --upstream-" + provider + ", or start what should answer there"
}
