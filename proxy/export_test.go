package proxy

// Forget has the next request decoded from its beginning.
func (p *Proxy) Forget() { p.decoded.Clear() }
