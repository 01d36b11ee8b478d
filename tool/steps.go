package tool

// Step is one command of a line, with the folder that it ran in, as Touch.In has it.
type Step struct{ Line, In string }

// Steps returns the commands of a line that run something and have succeeded where the line has:
// those of the last list that "&&" joins, without those of a pipe, which hides how they ended.
func (r *Reading) Steps() (steps []Step) {
	line, in := r.lex(r.Command), ""
	for i := range line {
		c := &line[i]
		if i > 0 && (line[i-1].op == ';' || line[i-1].op == '\n') {
			steps = nil // it runs however those before it end
		}
		switch piped := i > 0 && line[i-1].op == '|' || c.op == '|'; {
		case c.op == 'o', c.op == ')', c.op == '(':
			return nil
		case c.runs() && !piped:
			steps = append(steps, Step{Line: r.Command[c.start:c.end], In: in})
		}
		in = c.folderAfter(in)
	}
	return steps
}
