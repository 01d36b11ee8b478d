package extract

import (
	"slices"
	"strings"
)

// prohibits reports whether a statement begins a clause as its language words what is not to be done.
func prohibits(text string) bool {
	return slices.ContainsFunc(clausesOf(text), func(said []string) bool {
		for len(said) > 0 && softening[said[0]] {
			said = said[1:]
		}
		return len(said) > 1 && slices.ContainsFunc(prohibitions, func(p prohibition) bool { return p.in(said) })
	})
}

// prohibition is how a language words it: a first word, and a verb behind it in a form that orders; or
// a verb that orders, and a word anywhere behind it.
type prohibition struct {
	first map[string]bool
	next  map[string]bool // one of these stands behind it, where there are any
	ends  []string        // or a word that ends so
	not   map[string]bool // and one of these, where there are any, farther behind
}

func (p *prohibition) in(clause []string) bool {
	first, next := clause[0], clause[1]
	if !p.first[first] || p.not != nil && !slices.ContainsFunc(clause[1:], func(w string) bool { return p.not[w] }) {
		return false
	}
	return p.next == nil && p.ends == nil || p.next[next] || slices.ContainsFunc(p.ends, func(end string) bool { return len(next) > len(end)+2 && strings.HasSuffix(next, end) })
}

// prohibitions are, in this order, of German (two), Dutch, French, Spanish, Portuguese, Italian, Polish and
// Russian.
var prohibitions = []prohibition{
	{first: wordSet(`ändere ändert lösche löscht verwende benutze nutze fasse füge nimm schreibe schreib pushe committe merge starte mache mach entferne installiere überschreibe fass rühre rühr`), not: wordSet(`nicht nichts kein keine keinen keinerlei`)},
	{first: wordSet(`nie`), ends: []string{"en"}},
	{first: wordSet(`wijzig verander verwijder gebruik raak maak schrijf voeg push commit start installeer`), not: wordSet(`niet niets geen`)},
	{first: wordSet(`ne`), not: wordSet(`pas jamais plus rien aucun aucune`)},
	{first: wordSet(`no nunca jamás`), next: wordSet(`toques toque toquen cambies cambie modifiques modifique modifiquen borres borre elimines elimine uses utilices utilice agregues añadas añada hagas haga subas suba ejecutes ejecute escribas escriba instales instale edites edite renombres muevas mueva quites pongas ponga tocar cambiar modificar borrar eliminar usar`)},
	{first: wordSet(`não nunca jamais`), next: wordSet(`altere alterem altera mude muda modifique modifica apague apaga use usa remova exclua mexa mexe adicione adiciona faça toque toca edite edita instale execute renomeie mova escreva envie commite alterar mudar modificar apagar usar mexer`)},
	{first: wordSet(`non mai`), ends: []string{"are", "ere", "ire", "arlo", "arla", "arli", "arle", "erlo", "irlo", "ate", "ete"}},
	{first: wordSet(`nie nigdy`), next: wordSet(`wolno rób róbcie pisz rusz`), ends: []string{"aj", "uj", "ajcie", "ujcie"}},
	{first: wordSet(`не никогда`), ends: []string{"ай", "яй", "уй", "айте", "яйте", "уйте"}},
}
