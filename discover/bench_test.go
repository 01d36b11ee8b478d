package discover

import (
	"fmt"
	"strings"
	"testing"
)

// Reading is linear in a session with compactions.
func BenchmarkParse(b *testing.B) {
	for _, turns := range []int{1000, 10000} {
		var s strings.Builder
		s.WriteString(`{"type":"session","version":3,"id":"p"}` + "\n")
		parent := "null"
		for i := range turns {
			fmt.Fprintf(&s, `{"type":"message","id":"m%d","parentId":%s,"message":{"role":"assistant","model":"claude-opus-4-5","content":[{"type":"text","text":"order_%d in /srv/part%d.csv %s"}],"usage":{"input":9,"output":9,"cost":{"total":0.1}}}}`+"\n",
				i, parent, i*7919, i, strings.Repeat("and so on ", 40))
			parent = fmt.Sprintf(`"m%d"`, i)
			if i%200 == 199 {
				fmt.Fprintf(&s, `{"type":"compaction","id":"c%d","parentId":%s,"summary":"so far","firstKeptEntryId":"m%d"}`+"\n", i, parent, i-10)
				parent = fmt.Sprintf(`"c%d"`, i)
			}
		}
		data := []byte(s.String())
		b.Run(fmt.Sprint(turns), func(b *testing.B) {
			b.SetBytes(int64(len(data)))
			b.ReportAllocs()
			for b.Loop() {
				if v, err := (Found{Path: "s"}).parse(data); err != nil || len(v.Compactions) != turns/200 {
					b.Fatal(err)
				}
			}
		})
	}
}
