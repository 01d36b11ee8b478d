package program

import "strings"

// Streamed returns the files that sed, perl or awk reads, and whether it edits them in place: the first
// plain argument is the program unless an option gave it.
func Streamed(name string, args []string) (files []string, inPlace bool) {
	script, text := false, ""
	for i := 0; i < len(args); i++ {
		a := args[i]
		switch {
		case a == "-e" || a == "-f" || a == "--expression":
			script = true
			i++
		case a == "-F" || a == "-v":
			i++
		case isInPlace(a):
			inPlace = true
		case len(a) > 1 && a[0] == '-':
			if name == "perl" {
				inPlace = inPlace || strings.Contains(a, "i")
				if strings.HasSuffix(a, "e") {
					script = true
					i++
				}
			}
		case a == "":
		case !script:
			script, text = true, a
		default:
			files = append(files, a)
		}
	}
	return files, inPlace && !(name == "sed" && putsSame(text))
}

// isInPlace reports whether an option of sed's says that it edits in place; short ones may stand
// together.
func isInPlace(option string) bool {
	name, _, _ := strings.Cut(option, "=")
	return name == "--in-place" || len(option) > 1 && option[0] == '-' && strings.HasPrefix(strings.TrimLeft(option[1:], "nErsuz"), "i")
}

// putsSame reports whether a sed script is one substitution that puts what was there in its place.
func putsSame(script string) bool {
	if len(script) < 4 || script[0] != 's' {
		return false
	}
	parts := strings.Split(script[2:], script[1:2])
	return len(parts) == 3 && strings.ReplaceAll(parts[0], `\.`, ".") == parts[1] && !strings.ContainsAny(parts[1], `\&`) && strings.Trim(parts[2], "gI") == ""
}
