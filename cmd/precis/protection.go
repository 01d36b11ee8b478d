package main

import (
	"time"

	"github.com/spf13/pflag"

	"github.com/seed-3db51b0e/precis/proxy"
)

// protection are the flags that bound what strangers can make a proxy do and keep.
type protection struct {
	bodyTimeout, heldTimeout, idle time.Duration
	held, stored                   string
	threads, messages              int
}

func (p *protection) flags(f *pflag.FlagSet) {
	f.DurationVar(&p.bodyTimeout, "body-timeout", 30*time.Second, "`time` in which a request's body must come, beside what its bytes take at 16 kB/s")
	f.StringVar(&p.held, "max-held", "", "maximum `bytes` of the bodies that are being served: 512m (default 512m)")
	f.DurationVar(&p.heldTimeout, "held-timeout", 10*time.Second, "`time` that a request waits for room within --max-held")
	f.DurationVar(&p.idle, "idle-timeout", 10*time.Minute, "`time` after which the memory of idle conversations is given back")
	f.IntVar(&p.messages, "max-messages", 100_000, "maximum `messages` of a request; larger ones pass untouched")
	f.IntVar(&p.threads, "max-threads", 0, "maximum `conversations` that a key may begin (default: no limit)")
	f.StringVar(&p.stored, "max-stored", "", "maximum `bytes` that a key may have in the log: 500m, 2000m (default: no limit)")
}

// apply sets what the flags say. bytesOf reads a flag's value.
func (p *protection) apply(o *proxy.Options, bytesOf func(flag, value string) (int, error)) error {
	o.Limits.BodyTimeout, o.Limits.HeldTimeout, o.Limits.IdleTimeout = p.bodyTimeout, p.heldTimeout, p.idle
	o.Limits.MaxMessages, o.Tenancy.Quota.Threads = p.messages, p.threads
	for _, x := range []struct {
		flag, value string
		to          *int64
	}{{"max-held", p.held, &o.Limits.MaxHeld}, {"max-stored", p.stored, &o.Tenancy.Quota.Bytes}} {
		n, err := bytesOf(x.flag, x.value)
		if err != nil {
			return err
		}
		*x.to = int64(max(n, 0)) // 0: none, or the default
	}
	return nil
}
