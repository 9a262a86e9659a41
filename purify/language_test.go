package purify

import (
	"strings"
	"testing"
)

func TestLanguageOfATextWithoutALabel(t *testing.T) {
	for want, text := range map[string]string{
		"en": "The bridge of the city was closed, and the people that live on the other side have not been told for how long. You are asked to go with this in mind.",
		"de": "Die Brücke der Stadt ist gesperrt, und die Leute auf dem anderen Ufer wissen nicht, wie lange das dauert. Mit einer Antwort ist auch für sie nicht zu rechnen.",
		"fr": "Les habitants des deux rives sont dans une situation difficile: le pont est fermé, et nous avons appris que les travaux ne sont pas finis pour cette année aux dires de la mairie, qui est absente.",
		"es": "El puente de la ciudad está cerrado y los vecinos del otro lado no saben por cuánto tiempo. Las obras son muy largas, pero el alcalde dice que también hay más trabajo como este.",
		"it": "Il ponte della città è chiuso e gli abitanti che vivono nel quartiere non sanno per quanto. Anche il sindaco dei lavori è più che sorpreso, per questo ha scritto alla regione e delle altre cose.",
		"pt": "A ponte não está aberta e os moradores que vivem do outro lado também não sabem quando. São obras para uma cidade com mais carros, ao que você vê; os dos bairros não são ouvidos pelo prefeito.",
		"nl": "Het is niet zeker dat de brug voor het einde van dit jaar wordt geopend, en ook het verkeer van de stad is aan het vastlopen, naar een van de bewoners zegt.",
		"pl": "Nie wiadomo, jak długo most jest zamknięty, ale przez cały rok nie było tu robotników, a mieszkańcy są przy tym dla siebie mili oraz się nie skarżą, że jest źle.",
		"tr": "Köprü bir yıl için kapalı olarak kalacak ve bu çok uzun, daha kısa bir süre gibi değil; halk ile belediye kadar olan yolda çok konuşuldu ve bir karar var.",
		"zh": "市政府宣布大桥关闭一年。", "ja": "橋は一年のあいだ閉まっています。", "ko": "다리는 일 년 동안 닫혀 있다.", "ru": "Мост закрыт на целый год.",
		"": "Lorem ipsum 12 x 4711 OK",
	} {
		if got := languageOf(text); got != want {
			t.Errorf("languageOf(%.40q) = %q, want %q", text, got, want)
		}
	}
}

func TestALabelIsBelievedBeforeTheWords(t *testing.T) {
	text := strings.Repeat("The bridge of the city was closed, and the people have not been told. ", 3)
	if got := Purify([]byte("<html lang=cy><p>"+text), "text/html").Lang; got != "cy" {
		t.Errorf("language is %q, want cy as the page says", got)
	}
	if got := Purify([]byte("<p>"+text), "text/html").Lang; got != "en" {
		t.Errorf("language is %q, want en", got)
	}
}

func TestALabelInLatinLettersIsNotBelievedOverOthers(t *testing.T) {
	for _, c := range []struct{ label, text, want string }{
		{"en", "市政府宣布大桥关闭一年。", "zh"},
		{"en-US", "Мост закрыт на целый год.", "ru"},
		{"zh_CN", "市政府宣布大桥关闭一年。", "zh-CN"},
		{"uk", "Міст закрито на цілий рік.", "uk"},
		{"en", "Use 关闭 to close the bridge for a year.", "en"},
	} {
		if got := Purify([]byte("<html lang="+c.label+"><p>"+c.text), "text/html; charset=utf-8").Lang; got != c.want {
			t.Errorf("lang=%s of %q is %q, want %q", c.label, c.text, got, c.want)
		}
	}
}
