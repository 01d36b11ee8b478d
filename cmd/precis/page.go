package main

import (
	"crypto/rand"
	"errors"
	"log"
	"net"
	"net/http"
	"slices"
	"time"

	"github.com/seed-3db51b0e/precis/inspect"
	"github.com/seed-3db51b0e/precis/proxy"
	"github.com/seed-3db51b0e/precis/store"
	"github.com/seed-3db51b0e/precis/token/bpe"
)

// page is a running inspector.
type page struct {
	url   string
	ended chan error
	http  *http.Server
}

// startInspector serves the inspector on a listener.
func startInspector(l net.Listener, s store.Store, o inspect.Options, faults *log.Logger) *page {
	if host, _, err := net.SplitHostPort(l.Addr().String()); err == nil {
		o.Hosts = append(o.Hosts, host)
	}
	p := &page{
		url: "http://" + l.Addr().String() + "/?token=" + o.Token, ended: make(chan error, 1),
		http: &http.Server{Handler: inspect.Handler(s, o), ReadHeaderTimeout: 30 * time.Second, IdleTimeout: 3 * time.Minute, ErrorLog: faults},
	}
	go func() { p.ended <- p.http.Serve(l) }()
	return p
}

// startBeside starts the inspector of a proxy; nil where no address is given.
func startBeside(address, tenant, by string, st store.Store, o proxy.Options, p *proxy.Proxy) (*page, error) {
	if address == "" {
		return nil, nil
	}
	l, err := net.Listen("tcp", address)
	if err != nil {
		return nil, fail("choose another address with --inspect; port 0 takes a free one", "listen: %w", err)
	}
	return startInspector(l, st, inspect.Options{
		Tenant: tenant, Token: rand.Text(), By: by, Meter: bpe.Meter, Engine: o.Engine, Events: o.Engine.Events, Metrics: p,
		Models: o.Models.Lookup, Hosts: slices.Clone(o.Access.Hosts),
	}, faults(o.Log)), nil
}

// stop ends it at once: a page that is open listens for events without end.
func (p *page) stop() error {
	err := p.http.Close()
	if ended := <-p.ended; !errors.Is(ended, http.ErrServerClosed) {
		err = errors.Join(err, ended)
	}
	return err
}
