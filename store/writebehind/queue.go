package writebehind

import (
	"slices"
	"strings"

	"github.com/seed-3db51b0e/precis/store"
)

// queue holds the threads that wait for the writer. Tenants take turns; the threads of
// one come in their order.
type queue struct {
	turns   []string               // tenants that wait
	threads map[string][]store.Key // of each
}

// owner is the tenant whose turn a thread takes: what stands beside a thread is the
// thread's owner's.
func owner(k store.Key) string {
	name, _, _ := strings.Cut(k.Tenant, "\n")
	return name
}

func (q *queue) push(k store.Key) {
	t := owner(k)
	if len(q.threads[t]) == 0 {
		q.turns = append(q.turns, t)
	}
	if q.threads == nil {
		q.threads = map[string][]store.Key{}
	}
	q.threads[t] = append(q.threads[t], k)
}

// pop takes the next thread; false if none waits.
func (q *queue) pop() (k store.Key, ok bool) {
	if len(q.turns) == 0 {
		return k, false
	}
	t := q.turns[0]
	q.turns = q.turns[1:]
	k = q.threads[t][0]
	if q.threads[t] = q.threads[t][1:]; len(q.threads[t]) > 0 {
		q.turns = append(q.turns, t)
	} else {
		delete(q.threads, t)
	}
	return k, true
}

func (q *queue) remove(k store.Key) {
	t := owner(k)
	if left := slices.DeleteFunc(q.threads[t], func(x store.Key) bool { return x == k }); len(left) > 0 {
		q.threads[t] = left
	} else if q.threads[t] != nil {
		delete(q.threads, t)
		q.turns = slices.DeleteFunc(q.turns, func(x string) bool { return x == t })
	}
}
