package proxy

// Forget has the next request decoded from its beginning.
func (p *Proxy) Forget() { p.decoded.Clear() }

// Age has what lies still forgotten as after the time of Limits.IdleTimeout.
func (p *Proxy) Age() { p.idle.age() }
