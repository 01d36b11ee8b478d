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
	hosts  []string
	token  string
	cookie string // its name: servers on other ports of this machine have their own
	secret string // its value
	csrf   string
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
	return &guard{hosts: o.Hosts, token: o.Token, cookie: "precis-" + derive("name")[:8], secret: derive("cookie"), csrf: derive("csrf")}
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
		case !g.known(r.Host):
			refuse(w, http.StatusForbidden, "host", "this page is not served under the name "+r.Host)
		case !sameOrigin(r):
			refuse(w, http.StatusForbidden, "origin", "pages of other sites may not use the inspector")
		case g.opens(r):
			g.enter(w, r)
		case !g.entered(r):
			refuse(w, http.StatusUnauthorized, "token", "open the address that precis inspect printed; it holds a token")
		case !reads(r) && !g.intended(r):
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

// known reports whether a request names a host of this machine, or one of Options.Hosts:
// another name means that a foreign page had its own name resolved to this address.
func (g *guard) known(hostport string) bool {
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

// opens reports whether a request brings the token.
func (g *guard) opens(r *http.Request) bool {
	return g.token != "" && r.Method == http.MethodGet && equal(r.URL.Query().Get("token"), g.token)
}

// entry goes on to the page.
const entry = `<!doctype html><meta charset="utf-8"><title>Précis</title><meta http-equiv="refresh" content="0; url=./"><a href="./">Go on</a>`

// enter exchanges the token for the cookie, and takes it out of the address. Where a page
// of elsewhere led here, a file of ours too, a redirect would not do: the browser follows it
// without the cookie.
func (g *guard) enter(w http.ResponseWriter, r *http.Request) {
	http.SetCookie(w, &http.Cookie{Name: g.cookie, Value: g.secret, Path: "/", HttpOnly: true, SameSite: http.SameSiteStrictMode, Secure: r.TLS != nil})
	h := w.Header()
	h.Set("Cache-Control", "no-store")
	switch r.Header.Get("Sec-Fetch-Site") {
	case "", "same-origin", "none":
		h.Set("Location", "./")
		w.WriteHeader(http.StatusSeeOther)
	default:
		h.Set("Content-Type", kinds[".html"])
		_, _ = io.WriteString(w, entry) // the browser has left
	}
}

func (g *guard) entered(r *http.Request) bool {
	if g.token == "" {
		return true
	}
	for _, c := range r.Cookies() {
		if c.Name == g.cookie && equal(c.Value, g.secret) {
			return true
		}
	}
	return false
}

// intended reports whether the page itself asks for a change.
func (g *guard) intended(r *http.Request) bool {
	kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	return err == nil && kind == "application/json" && equal(r.Header.Get(csrfHeader), g.csrf)
}
