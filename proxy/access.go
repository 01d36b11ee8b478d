package proxy

import (
	"errors"
	"fmt"
	"mime"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
)

// Access selects from where a proxy may be called beside the machine it runs on. With
// the zero value it serves programs and no web pages: a request of another site's page
// is refused, and at an address of this machine one that names another host.
type Access struct {
	// Hosts are names under which the proxy is reached, without port. With any, no
	// other name is served at any address; addresses and names of this machine are.
	Hosts []string
	// Origins are pages that may call the proxy, such as "https://chat.example" or
	// "app://notes".
	Origins []string
}

// Validate names an entry that cannot be.
func (a Access) Validate() error {
	for _, h := range a.Hosts {
		if h == "" || strings.ContainsAny(h, "/:@ ") {
			return fmt.Errorf("access: host %q: want a name without port", h)
		}
	}
	for _, o := range a.Origins {
		if u, err := url.Parse(o); err != nil || u.Scheme == "" || u.Host == "" || u.Path != "" || u.RawQuery != "" {
			return fmt.Errorf("access: origin %q: want scheme://host", o)
		}
	}
	return nil
}

// Why a request is refused before it is read.
var (
	errHost = errors.New("the proxy is not served under this name: --allow-host adds one")
	errPage = errors.New("a page of another site asks: --allow-origin lets it")
)

// admits returns why a request is refused, nil if it is not.
func (a Access) admits(r *http.Request) error {
	if !a.knows(r) {
		return errHost
	}
	origin := r.Header.Get("Origin")
	if origin != "" && slices.Contains(a.Origins, origin) {
		return nil
	}
	if origin != "" && r.Method == http.MethodOptions { // asks whether a page may
		return samePage(origin, r.Host)
	}
	if http.NewCrossOriginProtection().Check(r) != nil {
		return errPage
	}
	return nil
}

// samePage refuses an origin that is not of the host itself.
func samePage(origin, host string) error {
	if u, err := url.Parse(origin); err != nil || u.Host != host {
		return errPage
	}
	return nil
}

// knows reports whether a request names a host that the proxy is served under. A name
// that anyone can give an address of this machine lets a page call it as its own.
func (a Access) knows(r *http.Request) bool {
	name := r.Host
	if host, _, err := net.SplitHostPort(name); err == nil {
		name = host
	}
	name = strings.ToLower(strings.TrimSuffix(strings.Trim(name, "[]"), "."))
	if _, err := netip.ParseAddr(name); err == nil || name == "" || slices.Contains(ownNames, name) || strings.HasSuffix(name, ".localhost") {
		return true
	}
	if len(a.Hosts) > 0 {
		return slices.ContainsFunc(a.Hosts, func(h string) bool { return strings.EqualFold(h, name) })
	}
	at, ok := r.Context().Value(http.LocalAddrContextKey).(*net.TCPAddr)
	return !ok || !at.IP.IsLoopback()
}

// ownNames are names of this machine that nobody else can give away.
var ownNames = []string{"localhost", "host.docker.internal", "host.containers.internal"}

// declaredJSON reports whether a request says that its body is JSON, or says nothing.
// A page can send text and forms to other sites without asking them first.
func declaredJSON(h http.Header) bool {
	kind, _, err := mime.ParseMediaType(h.Get("Content-Type"))
	return h.Get("Content-Type") == "" || err == nil && (kind == "application/json" || strings.HasSuffix(kind, "+json"))
}
