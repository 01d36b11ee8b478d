package token

import "fmt"

// Name identifies the meter in cached counts: two meters of one name count
// every message alike.
func (m Meter) Name() string {
	o := m.Overhead
	return fmt.Sprintf("%s*%.4g/%d.%d.%d.%d.%d.%t", m.Counter.Name(), m.multiplier(), o.Message, o.Name, o.Call, o.Result, o.Media, m.NoIDs)
}
