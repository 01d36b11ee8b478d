package doctor

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"time"

	"github.com/seed-3db51b0e/precis/proxy"
)

// Proxy checks what a proxy needs beside its configuration: the address that it is to
// listen on, and its providers.
func Proxy(ctx context.Context, listen string, providers []proxy.Provider) []Finding {
	all := []Finding{port(listen)}
	for _, v := range providers {
		all = append(all, reachable(ctx, v))
	}
	return all
}

// port checks that nobody listens where the proxy is to.
func port(address string) Finding {
	f := Finding{Check: "port", OK: true, Found: address + " is free"}
	l, err := net.Listen("tcp", address)
	if err != nil {
		f.OK, f.Found, f.Fix = false, err.Error(), "stop what listens there, or choose another address with --listen; port 0 takes a free one"
		return f
	}
	_ = l.Close() // nobody has connected
	return f
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
		f.OK, f.Found, f.Fix = false, fmt.Sprintf("%s does not answer: %v", r.URL.Host, err), advice(err)
		return f
	}
	_ = resp.Body.Close() // a HEAD has none
	f.Found = fmt.Sprintf("%s answers, in %v", r.URL.Host, time.Since(began).Round(time.Millisecond))
	return f
}

// advice says what to do about a provider that does not answer.
func advice(err error) string {
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
	return "correct the URL with --upstream-openai or --upstream-anthropic, or start what should answer there"
}
