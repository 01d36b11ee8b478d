package strategy_test

import (
	"strings"
	"testing"
)

// The calls that changed files as they are now stand whole, however much the agent said since,
// with the script that a call ran; those that were taken back do not.
//
// SPEC: B18, L10
func TestStandingEditsStayWhole(t *testing.T) {
	const script = "import re\nbody = open('src/limits.py').read()\nbody = re.sub('limit = 12', 'limit = 15', body)\nopen('src/limits.py', 'w').write(body)\n"
	oneLine := strings.ReplaceAll(script, "\n", `\n`)
	const edit = `{"path":"src/names.py","old":"queue = None","new":"queue = billing_eu or fallback_eu"}`
	rs := []round{
		calls("bash", `{"command":"cat > raise_limit.py <<'EOF'\n`+oneLine+`EOF"}`, text("")),
		calls("bash", `{"command":"python raise_limit.py"}`, text("")),
		calls("edit", edit, text("ok")),
		calls("bash", `{"command":"sed -i 's/retries: 3/retries: 5/' conf/queue.yaml"}`, text("")),
		calls("bash", `{"command":"git checkout -- conf/queue.yaml"}`, text("")),
	}
	for _, name := range []string{"alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta", "iota", "kappa"} {
		rs = append(rs, calls("bash", `{"command":"python - <<'EOF'\n`+strings.Repeat("print('"+name+" is looked at', "+name+")\\n", 12)+`EOF"}`, text("nothing of note")))
	}
	got := inBlocks(t, 300, 1e9, 1200, rs...)
	for _, want := range []string{script, "queue = billing_eu or fallback_eu"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
	if strings.Contains(got, "retries: 5") {
		t.Errorf("an edit that was taken back in\n%s", got)
	}
}
