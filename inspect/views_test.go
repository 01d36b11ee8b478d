package inspect_test

import (
	"context"
	"errors"
	"net/http"
	"testing"

	"github.com/seed-3db51b0e/precis/inspect"
	"github.com/seed-3db51b0e/precis/plan"
	"github.com/seed-3db51b0e/precis/store"
)

// interrupted is a store whose reader goes away, or whose connection breaks, while a plan is
// read for the first time.
type interrupted struct {
	store.Store
	leave context.CancelFunc
	fault error
}

// PlanAt implements store.Plans.
func (s *interrupted) PlanAt(ctx context.Context, k store.Key, version int) (*plan.Plan, error) {
	if version == 2 && s.leave != nil {
		s.leave()
		s.leave = nil
		<-ctx.Done()
	}
	if version == 2 && s.fault != nil {
		err := s.fault
		s.fault = nil
		return nil, err
	}
	return s.Store.PlanAt(ctx, k, version)
}

// A plan that could not be read once is there for the next who asks.
func TestBrokenConnectionHidesNoPlan(t *testing.T) {
	c := served(t, &interrupted{Store: shown(), fault: errors.New("connection reset")}, inspect.Options{})
	var before, after inspect.Plans
	c.get("threads/t/plans", &before)
	c.get("threads/t/plans", &after)
	if len(before.Plans) != before.Current-1 || len(after.Plans) != after.Current {
		t.Errorf("%d, then %d of %d plans are listed", len(before.Plans), len(after.Plans), after.Current)
	}
}

// A summary without a plan that could not be read is none for the next who asks.
func TestBrokenConnectionIsInNoSummary(t *testing.T) {
	c := served(t, &interrupted{Store: shown(), fault: errors.New("connection reset")}, inspect.Options{})
	var before, after inspect.Summary
	c.get("threads/t/summary", &before)
	c.get("threads/t/summary", &after)
	if after.Compactions != before.Compactions+1 {
		t.Errorf("%d compactions with a plan that was not read, then %d", before.Compactions, after.Compactions)
	}
}

// A page that is closed while a thread is read takes no plan from the pages after it.
func TestClosedPageHidesNoPlan(t *testing.T) {
	ctx, leave := context.WithCancel(t.Context())
	s := &interrupted{Store: shown(), leave: leave}
	c := served(t, s, inspect.Options{})
	r := c.request(http.MethodGet, "/api/v1/threads/t/plans", nil)
	if resp, err := http.DefaultTransport.RoundTrip(r.WithContext(ctx)); err == nil {
		_ = resp.Body.Close()
		t.Fatal("the closed page was answered")
	}
	var plans inspect.Plans
	c.get("threads/t/plans", &plans)
	if len(plans.Plans) != plans.Current || plans.Current < 2 {
		t.Errorf("%d of %d plans are listed", len(plans.Plans), plans.Current)
	}
}
