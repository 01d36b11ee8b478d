package browsertest

import (
	"testing"

	"github.com/seed-3db51b0e/precis/inspect"
)

// The pictures of docs/inspector.md, made where PRECIS_PICTURES names a folder.
func TestPictures(t *testing.T) {
	base := inspector(t, made(), inspect.Options{})
	for _, dark := range []bool{false, true} {
		name := map[bool]string{false: "light", true: "dark"}[dark]
		at := desktop
		at.dark = dark
		p := open(t, base, at, "#/t/ledger-import")
		p.until("the timeline is drawn", "document.querySelectorAll('.charts canvas').length === 2")
		p.shows("Open this prompt beside the log")
		p.picture("timeline-" + name)
		if dark {
			continue
		}
		p.goes("#/t/ledger-import/prompt?step=135")
		p.until("both lists are drawn", drawn)
		p.until("what belongs to the summary lights up", `(document.querySelector('.row[data-side=prompt][data-state=summarized]')?.dispatchEvent(new MouseEvent('mouseover', { bubbles: true })),
			document.querySelectorAll('.row.lit').length > 3)`)
		p.picture("prompt-" + name)
		p.goes("#/t/ledger-import/plans?lost=1")
		p.shows("the most mentioned, and where first")
		p.picture("plans-" + name)
		p.goes("#/t/ledger-import/m/60")
		p.shows("What would bring it back")
		p.picture("message-" + name)
		p.goes("#/t/ledger-import/whatif?policy=truncate&budget=32000")
		p.until("two timelines are drawn", "document.querySelectorAll('.charts canvas').length === 2")
		p.picture("whatif-" + name)
	}
	p := open(t, base, screen{width: 1280, height: 330}, "#/")
	p.until("the threads are summed up", "document.querySelectorAll('tbody .begins').length === 3")
	p.picture("threads-light")
}
