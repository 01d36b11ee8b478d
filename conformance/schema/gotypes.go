package schema

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// The names of the generated schemas: package and type.
const (
	chatParams     = "openai.ChatCompletionNewParams"
	responseParams = "responses.ResponseNewParams"
)

// omitted are members that the declarations require and the service does not:
// agents that store nothing send output messages and reasoning without ids.
// added are members that they lack and the service takes, with their types; the
// SDK writes stream by itself. The two are all that is not read from the provider
// here.
var omitted = map[string][]string{
	"responses.ResponseOutputMessageParam": {"id", "status"},
	"responses.ResponseOutputTextParam":    {"annotations"},
	"responses.ResponseReasoningItemParam": {"id"},
	"responses.FunctionToolParam":          {"strict", "parameters"},
}

var added = map[string]map[string]string{
	"openai.ChatCompletionToolMessageParam": {"name": "string"}, // the tool's
	chatParams:                              {"stream": "boolean"},
	responseParams:                          {"stream": "boolean"},
}

// readOpenAI derives a document of schemas from the SDK's declarations.
func readOpenAI() (map[string]any, error) {
	dir, err := moduleDir(openAIModule)
	if err != nil {
		return nil, err
	}
	d := &declarations{types: map[string]*ast.TypeSpec{}, consts: map[string][]any{}, constants: map[string]string{}}
	for _, files := range []string{"chatcompletion.go", "aliases.go", "shared/shared.go", "shared/constant/constants.go", "responses/response.go", "responses/aliases.go"} {
		if err := d.read(filepath.Join(dir, files)); err != nil {
			return nil, err
		}
	}
	return d.document(chatParams, responseParams)
}

// declarations are those of several packages, under "package.Name".
type declarations struct {
	types     map[string]*ast.TypeSpec
	consts    map[string][]any  // values of a named string type
	constants map[string]string // of package constant: the value of the type
}

func (d *declarations) read(file string) error {
	f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return fmt.Errorf("read declarations: %w", err)
	}
	pkg := f.Name.Name
	for _, decl := range f.Decls {
		gen, ok := decl.(*ast.GenDecl)
		if !ok {
			continue
		}
		for _, spec := range gen.Specs {
			switch spec := spec.(type) {
			case *ast.TypeSpec:
				d.types[pkg+"."+spec.Name.Name] = spec
				if value, ok := always(spec); ok && pkg == "constant" {
					d.constants[spec.Name.Name] = value
				}
			case *ast.ValueSpec:
				d.value(pkg, spec)
			}
		}
	}
	return nil
}

// always is the value that a type of package constant has: the SDK writes it in
// the comment beside the type.
func always(spec *ast.TypeSpec) (string, bool) {
	rest, ok := strings.CutPrefix(strings.TrimSpace(spec.Comment.Text()), "Always ")
	if !ok {
		return "", false
	}
	value, err := strconv.Unquote(rest)
	return value, err == nil
}

func (d *declarations) value(pkg string, spec *ast.ValueSpec) {
	typ, ok := spec.Type.(*ast.Ident)
	if !ok || len(spec.Values) != 1 {
		return
	}
	if lit, ok := spec.Values[0].(*ast.BasicLit); ok && lit.Kind == token.STRING {
		if s, err := strconv.Unquote(lit.Value); err == nil {
			d.consts[pkg+"."+typ.Name] = append(d.consts[pkg+"."+typ.Name], s)
		}
	}
}

// document holds the schemas of the roots and of all they refer to.
func (d *declarations) document(roots ...string) (map[string]any, error) {
	schemas := map[string]any{}
	w := &writer{d: d}
	w.todo = append(w.todo, roots...)
	for len(w.todo) > 0 {
		name := w.todo[0]
		w.todo = w.todo[1:]
		if schemas[name] != nil {
			continue
		}
		s, err := w.named(name)
		if err != nil {
			return nil, err
		}
		schemas[name] = s
	}
	return map[string]any{"components": map[string]any{"schemas": schemas}}, nil
}

// writer turns declarations into schemas.
type writer struct {
	d    *declarations
	todo []string // referred to, still to be written
}

func (w *writer) named(name string) (map[string]any, error) {
	spec := w.d.types[name]
	if spec == nil {
		return nil, fmt.Errorf("derive schema: type %s is not declared", name)
	}
	pkg, _, _ := strings.Cut(name, ".")
	if st, ok := spec.Type.(*ast.StructType); ok {
		return w.object(pkg, st, name)
	}
	s, err := w.expr(pkg, spec.Type)
	if values := w.d.consts[name]; err == nil && len(values) > 0 && !spec.Assign.IsValid() {
		s["enum"] = values
	}
	return s, err
}

// object is a struct: an object, or a union if its members are inline.
func (w *writer) object(pkg string, st *ast.StructType, typ string) (map[string]any, error) {
	properties, required, variants := map[string]any{}, []any{}, []any{}
	for name, kind := range added[typ] {
		properties[name] = map[string]any{"type": kind}
	}
	for _, field := range st.Fields.List {
		if field.Tag == nil || len(field.Names) == 0 {
			continue
		}
		raw, err := strconv.Unquote(field.Tag.Value)
		if err != nil {
			return nil, fmt.Errorf("derive schema: tag %s: %w", field.Tag.Value, err)
		}
		name, opts, _ := strings.Cut(reflect.StructTag(raw).Get("json"), ",")
		if name == "-" {
			continue
		}
		s, err := w.field(pkg, field)
		if err != nil {
			return nil, err
		}
		if strings.Contains(opts, "inline") {
			variants = append(variants, s)
			continue
		}
		must := reflect.StructTag(raw).Get("api") == "required" || !strings.Contains(opts, "omitzero")
		if _, optional := field.Type.(*ast.IndexExpr); optional || !must {
			s = anyOf(s, map[string]any{"type": "null"})
		}
		if must && !slices.Contains(omitted[typ], name) {
			required = append(required, name)
		}
		properties[name] = s
	}
	if len(variants) > 0 {
		return anyOf(variants...), nil
	}
	return map[string]any{"type": "object", "properties": properties, "required": required, "additionalProperties": false}, nil
}

func anyOf(schemas ...any) map[string]any { return map[string]any{"anyOf": schemas} }

var (
	anyOfComment = regexp.MustCompile(`(?s)Any of ((?:"[^"]*"(?:,\s*)?)+)\.`)
	quoted       = regexp.MustCompile(`"([^"]*)"`)
)

// field is a member's schema. A plain string's values may stand in its comment.
func (w *writer) field(pkg string, field *ast.Field) (map[string]any, error) {
	s, err := w.expr(pkg, field.Type)
	if err != nil || s["type"] != "string" || s["const"] != nil {
		return s, err
	}
	if m := anyOfComment.FindStringSubmatch(field.Doc.Text()); m != nil {
		var values []any
		for _, q := range quoted.FindAllStringSubmatch(m[1], -1) {
			values = append(values, q[1])
		}
		s["enum"] = values
	}
	return s, nil
}

var basic = map[string]string{"string": "string", "bool": "boolean", "int64": "integer", "float64": "number"}

func (w *writer) expr(pkg string, e ast.Expr) (map[string]any, error) {
	switch e := e.(type) {
	case *ast.Ident:
		switch {
		case basic[e.Name] != "":
			return map[string]any{"type": basic[e.Name]}, nil
		case e.Name == "any":
			return map[string]any{}, nil
		}
		return w.refer(pkg + "." + e.Name), nil
	case *ast.StarExpr:
		return w.expr(pkg, e.X)
	case *ast.IndexExpr: // param.Opt[T]
		return w.expr(pkg, e.Index)
	case *ast.ArrayType:
		items, err := w.expr(pkg, e.Elt)
		return map[string]any{"type": "array", "items": items}, err
	case *ast.MapType:
		values, err := w.expr(pkg, e.Value)
		return map[string]any{"type": "object", "additionalProperties": values}, err
	case *ast.SelectorExpr:
		return w.selector(e)
	}
	return nil, fmt.Errorf("derive schema: a type of form %T", e)
}

func (w *writer) selector(e *ast.SelectorExpr) (map[string]any, error) {
	x, ok := e.X.(*ast.Ident)
	if !ok {
		return nil, fmt.Errorf("derive schema: selector of form %T", e.X)
	}
	if x.Name != "constant" {
		return w.refer(x.Name + "." + e.Sel.Name), nil
	}
	value, ok := w.d.constants[e.Sel.Name]
	if !ok {
		return nil, fmt.Errorf("derive schema: constant %s has no value", e.Sel.Name)
	}
	return map[string]any{"type": "string", "const": value}, nil
}

func (w *writer) refer(name string) map[string]any {
	w.todo = append(w.todo, name)
	return map[string]any{"$ref": "#/components/schemas/" + name}
}
