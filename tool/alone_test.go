package tool_test

import (
	"testing"

	"github.com/seed-3db51b0e/precis/tool"
)

// SPEC: B18. A script in Python that imports only what Python brings along, and opens, runs and loads nothing, is
// known to reach nothing but itself.
func TestScriptsThatStandAlone(t *testing.T) {
	for script, alone := range map[string]bool{
		"import re, json\nfrom collections import OrderedDict as D\nprint(re)": true,
		"class MockField:\n    pass\nprint(MockField())":                       true,
		"import os.path as p\nprint(p.join('a', 'b'))":                         true,
		"def f():\n    from app import g\n    return g()":                      false,
		"import json, app":                          false,
		"from . import app":                         false,
		"import numpy as np":                        false,
		"print(open('a.py').read())":                false,
		"import os\nos.system('app')":               false,
		"exec(code)":                                false,
		"m = __import__('app')":                     false,
		"import unittest.mock\nprint(1)":            false,
		"import os\nprint(os.listdir('.'))":         false,
		"import json; import app\nprint(app.run())": false,
		"  \n": false,
		"":     false,
	} {
		if got := tool.StandsAlone(script); got != alone {
			t.Errorf("%q: %t", script, got)
		}
	}
}
