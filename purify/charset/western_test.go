package charset

import "testing"

// westernTexts are a line or two, as on a page of few words: too little for statistics
// of letters, and what they look like elsewhere are letters of the East.
var westernTexts = []string{
	"Größe und naïve Cafés",
	"“Größe” und ‘naïve’ Cafés – 30 €",
	"Größe",
	"Straße",
	"Übermäßig größere Füße",
	"Müller & Söhne, Schloßstraße 5, 10115 Köln",
	"Öffnungszeiten: täglich außer Montag, „Grüß Gott“",
	"Häufige Fragen für Käufer; Rückgabe möglich",
	"déjà vu",
	"À bientôt à la crêperie",
	"L’été où j’ai reçu la clé d’été…",
	"créée et agréée – n° 5",
	"Œuvres complètes, cœur et sœur",
	"Élève à l’école, où es-tu ? Là-bas, à côté.",
	"Tarifs réduits : 5 € – enfants dès 3 ans",
	"¿Qué pasó mañana, señor?",
	"Año nuevo: acción, pingüino y corazón",
	"¡Atención! Números del 1.º al 5.º",
	"Coração, informação e opções não são pães",
	"É à mãe São José, às três",
	"Città, perché è così; più caffè",
	"Göteborg är på väg åt öster",
	"Räksmörgås på ön; åäö ÅÄÖ",
	"Blåbærsyltetøy på Ærøskøbing",
	"Rødgrød med fløde",
	"Ærlig talt så går det på norsk også",
	"Hyvää päivää, tämä määrä sää",
	"Työpöytä, yöllä söin pöydässä jäätelöä",
	"Þetta er íslenska, með ð og þ",
	"Çà i llà, col·legi, això és mà",
	"Coöperatie, reünie, zeeën en één",
	"Zoë’s café: crème brûlée",
	"It’s “smart” – isn’t it? … £5 • © 2024",
	"Temperature: 20 °C ± ½, 5 µm × 3 m²",
	"François Müller, São Paulo – Malmö",
	"Jalapeño piñata fiancée résumé",
	"Señorita Núñez – “año” ‘ñu’",
	"« Où ? » « Là ! »",
	"™ ® © • … – —",
	"ÀÉÈÙ ÇA VA ÊTRE DIFFÉRÉ",
	"Mär 2014 · Jänner · Februar · März",
}

func TestShortWesternTextsAreWindows1252(t *testing.T) {
	for _, text := range westernTexts {
		for _, c := range []struct{ name, header, meta string }{
			{name: "no label"},
			{name: "header", header: "iso-8859-1"},
			{name: "meta", meta: "ISO-8859-1"},
			{name: "both", header: "latin1", meta: "iso8859-1"},
			{name: "us-ascii", meta: "us-ascii"},
			{name: "a lie", header: "utf-8"},
		} {
			page := labelledHTML(text, c.meta, false)
			contentType := "text/html"
			if c.header != "" {
				contentType += "; charset=" + c.header
			}
			if got, as := Decode(encode(t, "windows-1252", page), contentType); string(got) != page || as != "windows-1252" {
				t.Errorf("Decode(%q, %s) took it for %s: %s", text, c.name, as, passageOf(got))
			}
		}
	}
}

func TestADeclaredLatin1IsBelievedOverEasternLettersOfLatinScript(t *testing.T) {
	for _, name := range []string{"windows-1250", "iso-8859-2", "windows-1254", "windows-1257"} {
		page := encode(t, name, labelledHTML(passages[name], "", false))
		if _, as := Decode(page, "text/html; charset=iso-8859-1"); as != "windows-1252" {
			t.Errorf("Decode(%s, declared ISO-8859-1) = %s, want windows-1252, as the standard says", name, as)
		}
	}
}

func TestADeclaredLatin1IsNotBelievedOfAnotherScript(t *testing.T) {
	for _, name := range []string{"gbk", "big5", "shift_jis", "euc-jp", "euc-kr", "windows-1251", "windows-1253", "windows-1255", "windows-1256"} {
		page := labelledHTML(passages[name], "", false)
		if got, as := Decode(encode(t, name, page), "text/html; charset=iso-8859-1"); string(got) != page {
			t.Errorf("Decode(%s, declared ISO-8859-1) took it for %s: %.60s", name, as, passageOf(got))
		}
	}
}

func TestThaiWithoutALabel(t *testing.T) {
	for _, text := range []string{
		"ห้องสมุดเปิดให้บริการทุกวัน",
		"ยินดีต้อนรับ",
		"นักวิจัยพบว่าการเปรียบเทียบหน้าเว็บโดยไม่รวมแม่แบบช่วยให้ค้นหาเอกสารที่ซ้ำกันได้แม่นยำยิ่งขึ้น และใช้เวลาน้อยลงกว่าเดิมมาก ๆ เมื่อปี ๒๕๖๗",
		"ราคา 500 บาท (฿) “พิเศษ” … สั่งซื้อได้ที่ WWW เลย",
	} {
		for _, header := range []string{"", "; charset=iso-8859-1", "; charset=utf-8", "; charset=tis-620"} {
			page := labelledHTML(text, "", false)
			if got, as := Decode(encode(t, "windows-874", page), "text/html"+header); string(got) != page || as != "windows-874" {
				t.Errorf("Decode(%q, %q) took it for %s: %.80s", text, header, as, passageOf(got))
			}
		}
	}
}

func TestDecodeReadsISO2022JPByItsEscapes(t *testing.T) {
	for _, text := range []string{"図書館の利用案内", passages["euc-jp"], "a テスト b 試験 c"} {
		for _, meta := range []string{"", "utf-8", "shift_jis", "iso-2022-jp", "iso-8859-1"} {
			for _, header := range []string{"", "; charset=utf-8", "; charset=ISO-2022-JP"} {
				page := labelledHTML(text, meta, false)
				if got, as := Decode(encode(t, "iso-2022-jp", page), "text/html"+header); string(got) != page || as != "iso-2022-jp" {
					t.Errorf("Decode(%.20q, meta %q, header %q) took it for %s: %.80s", text, meta, header, as, passageOf(got))
				}
			}
		}
	}
	for _, page := range []string{"\x1b[31mred\x1b[0m", "\x1b$", "a \x1b(B b", "\x1b$Ba \x1b b", "\x1b$B\x1b$B"} {
		if got, as := Decode([]byte(page), "text/html"); as != "utf-8" || string(got) != page {
			t.Errorf("Decode(%q) = %q as %s, want it as it is", page, got, as)
		}
	}
}
