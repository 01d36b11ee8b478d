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
	rs = append(rs, looks()...)
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

// looks are calls that change nothing, more than there is room for.
func looks() (rs []round) {
	for _, name := range []string{"alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta", "iota", "kappa"} {
		rs = append(rs, calls("bash", `{"command":"python - <<'EOF'\n`+strings.Repeat("print('"+name+" is looked at', "+name+")\\n", 12)+`EOF"}`, text("nothing of note")))
	}
	return rs
}

// editing returns calls of an edit tool on a file, as many lines long.
func editing(name string, lines int) round {
	return calls("edit", `{"path":"`+name+`","old":"pass","new":"`+strings.Repeat(`    total_of_it = total_of_it + limit_of_it\n`, lines)+`    return `+strings.TrimSuffix(name[4:], ".py")+`_is_done"}`, text("ok"))
}

// Where there is no room for all edits that stand, the newest does; a file whose name ends in
// that of another is another.
//
// SPEC: B18, L10
func TestTheNewestEditStaysWhole(t *testing.T) {
	for _, lines := range []int{4, 8, 12, 16} {
		got := inBlocks(t, 100, 1e9, 1100, append([]round{editing("src/older.py", lines), editing("src/newer.py", 6)}, looks()...)...)
		if !strings.Contains(got, "return newer_is_done") {
			t.Errorf("%d lines in the older: the newer edit is missing in\n%s", lines, got)
		}
		got = inBlocks(t, 100, 1e9, 1100, append([]round{
			calls("bash", `{"command":"cat > a.py <<'EOF'\n`+strings.Repeat(`print(number_of_it)\n`, lines)+`EOF"}`, text("")),
			calls("bash", `{"command":"sed -i 's/return None/return data_is_done or limit_of_it/' src/data.py"}`, text("")),
		}, looks()...)...)
		if !strings.Contains(got, "return data_is_done") || strings.Contains(got, "number_of_it)\nprint") {
			t.Errorf("%d lines in another file:\n%s", lines, got)
		}
	}
}
