package main
import ("testing";"fmt"; "github.com/seed-3db51b0e/precis/store/memory")
func TestZZ(t *testing.T){ 
 for _,p:=range []string{"balanced","ladder","session","timeline","truncate","clip"} { for told:=0; told<=9000; told+=9000 { s:=""
 for w:=6000;w<9000;w+=250 { o:=options{policy:p,window:w,told:told,steps:60,store:memory.New()}
 a,err:=o.run(t.Context()); s+=fmt.Sprintf(" %d:%d/%d", w,a.tally.cuts,a.tally.retries); if err!=nil { s+="!"+err.Error()[:20]+"@"+fmt.Sprint(a.harbour.order)}}
 t.Log(p,told,s)}}}
