package inspect

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"io"
	"mime"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// guard decides who reaches the page: by the host that a request names, by the cookie
// that the token is exchanged for, and for writes by origin and a second secret that
// only the page can read.
type guard struct {
	hosts       []string
	token       string
	cookieName  string // servers on other ports of this machine have their own
	cookieValue string
	csrf        string // the value of csrfHeader
}

func newGuard(o Options) *guard {
	key := []byte(o.Token)
	if len(key) == 0 {
		key = []byte(rand.Text())
	}
	derive := func(what string) string {
		h := hmac.New(sha256.New, key)
		h.Write([]byte(what))
		return hex.EncodeToString(h.Sum(nil))
	}
	return &guard{hosts: o.Hosts, token: o.Token, cookieName: "precis-" + derive("name")[:8], cookieValue: derive("cookie"), csrf: derive("csrf")}
}

const csrfHeader = "X-Precis-Csrf"

// contentPolicy lets the page load its own files and nothing else: no inline script or style,
// no other host, no frame around it.
const contentPolicy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
	"base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

func (g *guard) protect(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", contentPolicy)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		switch {
		case !g.servesHost(r.Host):
			refuse(w, http.StatusForbidden, "host", "this page is not served under the name "+r.Host)
		case !sameOrigin(r):
			refuse(w, http.StatusForbidden, "origin", "pages of other sites may not use the inspector")
		case g.bringsToken(r):
			g.setCookie(w, r)
		case !g.bringsCookie(r):
			refuse(w, http.StatusUnauthorized, "token", "open the address that precis inspect printed; it holds a token")
		case !reads(r) && !g.fromPage(r):
			refuse(w, http.StatusForbidden, "csrf", "a change takes JSON and the header "+csrfHeader+", as GET api/v1/session gives it")
		default:
			if strings.HasSuffix(r.URL.Path, "/api/v1/session") {
				h.Set(csrfHeader, g.csrf)
			}
			next.ServeHTTP(w, r)
		}
	})
}

func reads(r *http.Request) bool { return r.Method == http.MethodGet || r.Method == http.MethodHead }

// servesHost reports whether a request names a host of this machine, or one of Options.Hosts:
// another name means that a foreign page had its own name resolved to this address.
func (g *guard) servesHost(hostport string) bool {
	host := hostport
	if h, _, err := net.SplitHostPort(hostport); err == nil {
		host = h
	}
	host = strings.Trim(host, "[]")
	if ip := net.ParseIP(host); ip != nil && ip.IsLoopback() {
		return true
	}
	return strings.EqualFold(host, "localhost") || slices.ContainsFunc(g.hosts, func(h string) bool { return strings.EqualFold(h, host) })
}

// sameOrigin refuses what the browser says comes from another page; following a link
// to the page itself is allowed.
func sameOrigin(r *http.Request) bool {
	if origin := r.Header.Get("Origin"); origin != "" {
		u, err := url.Parse(origin)
		if err != nil || !strings.EqualFold(u.Host, r.Host) {
			return false
		}
	}
	switch r.Header.Get("Sec-Fetch-Site") {
	case "", "same-origin", "none":
		return true
	}
	return reads(r) && r.Header.Get("Sec-Fetch-Mode") == "navigate" && r.Header.Get("Sec-Fetch-Dest") == "document"
}

func equal(a, b string) bool { return subtle.ConstantTimeCompare([]byte(a), []byte(b)) == 1 }

// bringsToken reports whether a request brings the token in its address.
func (g *guard) bringsToken(r *http.Request) bool {
	return g.token != "" && r.Method == http.MethodGet && equal(r.URL.Query().Get("token"), g.token)
}

// forward is a page that goes on to the inspector.
const forward = `<!doctype html><meta charset="utf-8"><title>Précis</title><meta http-equiv="refresh" content="0; url=./"><a href="./">Go on</a>`

// setCookie exchanges the token for the cookie, and takes it out of the address. Where a page
// of elsewhere led here, a file of ours too, a redirect would not do: the browser follows it
// without the cookie.
func (g *guard) setCookie(w http.ResponseWriter, r *http.Request) {
	http.SetCookie(w, &http.Cookie{Name: g.cookieName, Value: g.cookieValue, Path: "/", HttpOnly: true, SameSite: http.SameSiteStrictMode, Secure: r.TLS != nil})
	h := w.Header()
	h.Set("Cache-Control", "no-store")
	switch r.Header.Get("Sec-Fetch-Site") {
	case "", "same-origin", "none":
		h.Set("Location", "./")
		w.WriteHeader(http.StatusSeeOther)
	default:
		h.Set("Content-Type", kinds[".html"])
		_, _ = io.WriteString(w, forward) // the browser has left
	}
}

// bringsCookie reports whether a request brings the cookie; without a token none is needed.
func (g *guard) bringsCookie(r *http.Request) bool {
	if g.token == "" {
		return true
	}
	for _, c := range r.Cookies() {
		if c.Name == g.cookieName && equal(c.Value, g.cookieValue) {
			return true
		}
	}
	return false
}

// fromPage reports whether the page itself asks for a change: no other can read what csrfHeader takes.
func (g *guard) fromPage(r *http.Request) bool {
	kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	return err == nil && kind == "application/json" && equal(r.Header.Get(csrfHeader), g.csrf)
}
