package words

import (
	"strings"
	"testing"
	"unicode"
)

func TestLanguageOfATextWithoutALabel(t *testing.T) {
	for _, c := range []struct{ want, text string }{
		{"en", "The bridge of the city was closed, and the people that live on the other side have not been told for how long."},
		{"de", "Die Brücke der Stadt ist gesperrt, und die Leute auf dem anderen Ufer wissen nicht, wie lange das dauert."},
		{"fr", "Le pont est fermé, et nous avons appris que les travaux ne sont pas finis pour cette année aux dires de la mairie."},
		{"es", "El puente de la ciudad está cerrado y los vecinos del otro lado no saben por cuánto tiempo durarán las obras."},
		{"it", "Il ponte della città è chiuso e gli abitanti che vivono nel quartiere non sanno per quanto tempo lo sarà."},
		{"pt", "A ponte não está aberta e os moradores que vivem do outro lado também não sabem quando as obras vão acabar."},
		{"nl", "Het is niet zeker dat de brug voor het einde van dit jaar wordt geopend, zegt een van de bewoners van de stad."},
		{"pl", "Nie wiadomo, jak długo most jest zamknięty, ale przez cały rok nie było tu robotników, a mieszkańcy się skarżą."},
		{"tr", "Köprü bir yıl için kapalı olarak kalacak; halk ile belediye arasında bu konu çok konuşuldu ve bir karar alındı."},
		{"vi", "Cây cầu của thành phố đã bị đóng cửa và những người sống ở bờ bên kia không được cho biết trong bao lâu."},
		{"id", "Jembatan kota ditutup dan warga yang tinggal di seberang sungai tidak diberi tahu untuk berapa lama."},
		{"cs", "Most ve městě je uzavřen a lidé, kteří bydlí na druhém břehu, nevědí, jak dlouho to bude trvat."},
		{"sk", "Most v meste je zatvorený a ľudia, ktorí bývajú na druhom brehu, nevedia, ako dlho to bude trvať."},
		{"hu", "A város hídját lezárták, és a túlsó parton élő emberek nem tudják, hogy ez meddig fog tartani."},
		{"ro", "Podul orașului este închis, iar oamenii care locuiesc pe celălalt mal nu știu cât timp va dura."},
		{"sv", "Stadens bro är stängd, och de som bor på andra sidan har inte fått veta hur länge det kommer att vara."},
		{"da", "Byens bro er lukket, og de, der bor på den anden side, har ikke fået at vide, hvor længe det kommer til at vare."},
		{"nb", "Byens bru er stengt, og de som bor på den andre siden, har ikke fått vite hvor lenge det kommer til å vare."},
		{"fi", "Kaupungin silta on suljettu, eivätkä toisella puolella asuvat ihmiset tiedä, kuinka kauan tämä kestää."},
		{"hr", "Gradski most je zatvoren, a ljudi koji žive na drugoj strani ne znaju koliko će dugo to trajati."},
		{"sl", "Mestni most je zaprt in ljudje, ki živijo na drugi strani, ne vedo, kako dolgo bo to trajalo."},
		{"lt", "Miesto tiltas uždarytas, o žmonės, gyvenantys kitoje pusėje, nežino, kiek laiko tai truks."},
		{"lv", "Pilsētas tilts ir slēgts, un cilvēki, kas dzīvo otrā pusē, nezina, cik ilgi tas turpināsies."},
		{"et", "Linna sild on suletud ja teisel pool elavad inimesed ei tea, kui kaua see kestab."},
		{"ca", "El pont de la ciutat és tancat i els veïns que viuen a l'altra banda no saben quant de temps durarà això."},
		{"ru", "Мост в городе закрыт, и люди, которые живут на другом берегу, не знают, сколько это продлится."},
		{"uk", "Міст у місті закрито, і люди, які живуть на іншому березі, не знають, скільки це триватиме."},
		{"bg", "Мостът в града е затворен и хората, които живеят на другия бряг, не знаят колко ще продължи това."},
		{"sr", "Градски мост је затворен, а људи који живе на другој обали не знају колико ће то дуго трајати."},
		{"fa", "پل شهر بسته شده است و مردمی که در آن سوی رود زندگی می\u200cکنند نمی\u200cدانند تا چه زمانی."},
		{"ar", "أغلق جسر المدينة، ولا يعرف السكان الذين يعيشون على الضفة الأخرى إلى متى سيستمر ذلك."},
		{"hi", "शहर का पुल बंद कर दिया गया है और दूसरी ओर रहने वाले लोगों को नहीं बताया गया है कि यह कब तक रहेगा।"},
		{"el", "Η γέφυρα της πόλης έκλεισε."}, {"he", "הגשר בעיר סגור."}, {"th", "สะพานของเมืองปิดแล้ว"},
		{"zh", "一 12 345 2010-05-31 一等奖 0 注 10,000,000 元 1 25 5,640,118 二等奖 2 注 1,000 元 3,812,664,020 17.31% 38 / 120 2010-05-30 4,912,331,877 2010-05-29 5,102,449,310 2010-05-28 6,640,128,992"}, {"zh", "市政府宣布大桥关闭一年。"}, {"ja", "橋は一年のあいだ閉まっています。"}, {"ko", "다리는 일 년 동안 닫혀 있다."},
		{"sw", "Mwanafunzi alikwenda shuleni asubuhi na mapema akiwa na vitabu vyake vyote mkononi."},
		{"tl", "Isinara ang tulay ng bayan, at hindi alam ng mga nakatira sa kabila ng ilog kung hanggang kailan ito tatagal."},
		{"uz", "Shahar koʻprigi yopildi, daryoning narigi tomonida yashaydigan odamlar bu qancha davom etishini bilishmaydi."},
		{"az", "Şəhərin körpüsü bağlanıb və çayın o biri tərəfində yaşayan insanlar bunun nə qədər davam edəcəyini bilmirlər."},
		{"id", "Jembatan kota ditutup, dan orang yang tinggal di seberang sungai tidak tahu sampai kapan hal itu akan berlangsung."},
		{"ru", "Мост закрыт на целый год."}, {"uk", "Її міст закрито."},

		// A manual: code and names among few words.
		{"ko", "다음과 같이 설치합니다. apt-get install libgtk-3-dev build-essential pkg-config 그런 다음 make && make install 을 실행합니다. The quick brown fox"},
		{"ja", "次のように実行します。 sudo apt-get install build-essential libssl-dev を入力して make install します。"},
		{"zh", "请运行 npm install --save-dev webpack webpack-cli 安装依赖，然后执行 npm run build 命令。"},
		{"ru", "Запустите npm install --save-dev webpack webpack-cli, а затем выполните команду npm run build в папке проекта, чтобы собрать его."},

		{"fr", "EN AUCUN CAS, SAUF LORSQUE LA LOI APPLICABLE OU UNE CONVENTION ÉCRITE L'EXIGE, UN TITULAIRE N'EST RESPONSABLE DES DOMMAGES."},

		// Names, and words of programs.
		{"", "Defines hive::accessors. #include <hive/accessors.hpp> hive::accessors hive::comonad hive::applicative hive::monadic"},
		{"", "ImageResponseFormat imageResponseFormat(value: ImageResponse): ModelOptions variazioneModello condizione.modello"},
		{"", "Rosa Beneventi. Francesco Paterno. Maria Civita. Castelmezzano, Potenza, Basilicata. Giovanni Paterno. Carmela Euphemia."},
		{"", "Verse 1 Verse 2 Verse 3 Verse 4 Verse 5 Verse 6 Verse 7 Verse 8 Verse 9 Verse 10 Verse 11 Verse 12 Verse 13 Verse 14"},

		// Too little to say.
		{"", "Lorem ipsum 12 x 4711 OK"}, {"", "Acme Boots"}, {"", "Мост"}, {"", "Radio Televizija"}, {"", ""},
		{"", "Ọmọ ilé-ìwé náà lọ sí ilé-ìwé ní òwúrọ̀ kùtùkùtù pẹ̀lú gbogbo ìwé rẹ̀ lọ́wọ́."}, // Yoruba, which is not known
	} {
		if got := languageOf(c.text); got != c.want {
			t.Errorf("languageOf(%.40q) = %q, want %q", c.text, got, c.want)
		}
	}
}

// TestALabelIsBelievedUnlessTheTextIsClearlyInAnotherLanguage: from its start, and not by a few words.
func TestALabelIsBelievedUnlessTheTextIsClearlyInAnotherLanguage(t *testing.T) {
	english := "The bridge of the city was closed, and the people that live on the other side have not been told for how long."
	spanish := "El puente de la ciudad está cerrado y los vecinos del otro lado no saben por cuánto tiempo durarán las obras."
	czech := "Dobrý den, po instalaci mi program vypíše tuto hlášku a potom skončí. Nevíte prosím někdo, čím to může být?"
	for _, c := range []struct{ label, text, want string }{
		{"es", english, "en"}, {"en-US", spanish, "es"}, {"", english, "en"},
		{"en-US", "Tag: puente Uncategorized Ultima hora (22 November, 2015) Comments 0 Home News " + spanish + " " + spanish, "es"},
		{"en-US", english + " " + spanish + " " + spanish + " " + spanish, "en-US"},
		{"es", spanish + " " + strings.Repeat(english+" ", 3), "es"},
		{"cs", czech + strings.Repeat(" "+english, 4), "cs"}, // a message of the program
		{"cs", "Fatal error: Allowed memory size exhausted in database.inc on line 321", "cs"},
		{"en", "module Cassandra::Retry Modules Policies Policy", "en"},
		{"nb", "Byens bro er lukket, og de, der bor på den anden side, har ikke fået at vide, hvor længe det kommer til at vare.", "nb"},
		{"cy", "Mae'r bont yn y ddinas ar gau, ac nid yw'r bobl yn gwybod am ba hyd.", "cy"},
		{"nn", english, "nn"}, // a language that the profiles lack
	} {
		if got := Language(c.label, c.text); got != c.want {
			t.Errorf("Language(%q, %.40q) = %q, want %q", c.label, c.text, got, c.want)
		}
	}
}

// A page on programs has listings between its sentences, and a list the words of its theme between its entries.
func TestALanguageIsThatOfTheSentences(t *testing.T) {
	french := "Le pont de la ville est fermé depuis lundi, et les habitants de l'autre rive ne savent pas encore combien de temps les travaux vont durer cette année.\n"
	again := "On a donc choisi de passer par la vallée, ce qui prend une heure de plus, mais personne ne s'en plaint vraiment parce que la route est belle.\n"
	more := "Les pompiers sont arrivés dans la soirée avec trois camions, tandis que quelques voisins apportaient déjà du café chaud aux ouvriers épuisés, sous une pluie battante.\n"
	english := "The bridge of the city was closed, and the people that live on the other side have not been told for how long.\n"
	listing := "import bridge from bridge.settings import timeout; def open_bridge(self, timeout=30): return self.bridge.open(timeout) if timeout > 0 else None\n"
	entry := "This entry was posted in Bridges and tagged bridge repair road by Ann\n"
	menu := "Startseite Aktuelles Neuigkeiten\nWeiterlesen\nVeröffentlicht am Montag\nÜber uns und unsere Arbeit\nSchlagwörter\n"
	for _, c := range []struct{ name, label, text, want string }{
		{"between listings", "en-US", french + strings.Repeat(listing, 4) + again + strings.Repeat(listing, 4), "fr"},
		{"entries of a list", "en-US", entry + french + entry + again + more + entry, "fr"},
		{"entries in English below a menu", "de", menu + english + "Weiterlesen\n" + strings.Repeat(english, 2) + menu, "en"},
		{"a manual in English", "en", strings.Repeat(english+listing, 3), "en"},
		{"a quotation", "en-US", english + english + french + strings.Replace(english, "bridge", "road", 1), "en-US"},
		{"a shop", "de", "In den Warenkorb\nPreis je Stück ohne Versand\nLieferbar in drei Tagen\nBewertung\nMehr anzeigen\nWeitere Größen und Farben\nVersand in andere Länder auf Anfrage\nWiderruf und Rückgabe\n" + english, "de"},
	} {
		if got := Language(c.label, c.text); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

// TestAPageThatNobodyTranslated has texts in Latin letters under labels of languages in other letters.
func TestAPageThatNobodyTranslated(t *testing.T) {
	english := strings.Repeat("The bridge of the city was closed, and the people that live on the other side have not been told for how long. ", 3)
	french := "Le pont de la ville est fermé depuis lundi, et les habitants de l'autre rive ne savent pas encore combien de temps les travaux vont durer cette année."
	program := "public static void main(String[] args) { for (int i = 0; i < args.length; i++) { System.out.println(args[i]); } return; } private final List<String> names = new ArrayList<>(); int size() { return names.size(); }"
	for _, c := range []struct{ label, text, want string }{
		{"bn", english, "en"}, {"zh-CN", english, "en"}, {"vi", english, "en"}, {"ar", french, "fr"}, {"ja", english + "橋", "en"},
		{"zh", english + strings.Repeat("市政府宣布大桥关闭一年。", 2), "zh"},
		{"zh", program, "zh"},
		{"hi", "Shahar ka pul band hai aur dusri taraf rahne wale logon ko nahi bataya gaya ki kab tak band rahega, isliye sab log pareshan hain.", "hi"},
		{"sr", english, "sr"}, {"zh-Latn", english, "zh-Latn"},
		{"vi", "Cây cầu của thành phố đã bị đóng cửa và những người sống ở bờ bên kia không biết việc đó sẽ kéo dài bao lâu.", "vi"},
	} {
		if got := Language(c.label, c.text); got != c.want {
			t.Errorf("Language(%q, %.40q) = %q, want %q", c.label, c.text, got, c.want)
		}
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
		if got := Language(c.label, c.text); got != c.want {
			t.Errorf("spoken(%q, %q) = %q, want %q", c.label, c.text, got, c.want)
		}
	}
}

// A manual in English on what handles texts in another language has examples in that. It stays English, and a text in the
// other language that has commands and messages in English between its sentences is not.
func TestAManualWithExamplesInOtherLettersKeepsItsLabel(t *testing.T) {
	manual := "The function splits a text into words, and returns them as a list of strings.\nตัดคำ\nผมรักคุณ\nIt takes the name of the dictionary that is to be used, or none for the one that comes with it.\nสวัสดีครับ\nใหม่, พิเศษ, ก่อน, มาก, สูง\nAn error is raised if the text has no words, or if the dictionary does not exist.\nแม้, ว่า, เมื่อ\n"
	if lang := Language("en", manual); lang != "en" {
		t.Errorf("a manual in English with Thai examples is %q", lang)
	}
	post := "ก่อนอื่นให้ติดตั้งโปรแกรมด้วยคำสั่งต่อไปนี้ แล้วรอจนกว่าจะเสร็จ จากนั้นเปิดโปรแกรมขึ้นมาใหม่อีกครั้ง\nThe following packages will be installed and take up some space on the disk:\nถ้าหากมีข้อความแบบนี้ปรากฏขึ้น แสดงว่าการติดตั้งไม่สำเร็จ ให้ลองใหม่อีกครั้งหนึ่ง หรือถามในกลุ่มของเรา\nThe program was not found, or you may not have the rights to run it on this machine.\n"
	if lang := Language("en", post); lang != "th" {
		t.Errorf("a post in Thai with messages in English is %q", lang)
	}
}

// Spanish is near to Galician, so that names and words of programs leave little between them. The words of a text,
// each of them once, tell more.
func TestALanguageWithNearNeighboursIsNamedByItsWords(t *testing.T) {
	text := "Concurso de Perler Beads: manda una foto de tu Super Mario, tu Zelda o tu Sonic antes del domingo. Las bases son las de siempre, una foto por persona y nada de Photoshop. El premio es un pack con Street Fighter y Final Fight, y el segundo una camiseta de Mega Drive." + strings.Repeat(" Samurai Shodown, Garou, Kizuna Encounter.", 6)
	if lang := Language("", text); lang != "es" {
		t.Errorf("a Spanish post with names of games is %q", lang)
	}
}

// TestWhatIsNoLanguageTagIsNoLabel has what pages declare: a theme's list, a name, nothing known.
func TestWhatIsNoLanguageTagIsNoLabel(t *testing.T) {
	text := "Die Brücke der Stadt ist gesperrt, und die Leute auf dem anderen Ufer wissen nicht, wie lange das dauert."
	for declared, want := range map[string]string{
		`["zh-cn","default","en"]`: "de", "german": "de", "{{ lang }}": "de", "und": "de", "x-default": "de", "de-": "de", "en, de": "de", "C": "de",
		"nds": "nds", "sr_latn_rs": "sr-Latn-RS", "de-x-us": "de-x-us", "de-1996": "de-1996",
	} {
		if got := Language(declared, text); got != want {
			t.Errorf("Language(%q, German) = %q, want %q", declared, got, want)
		}
	}
}

func TestALanguageTagHasOneCase(t *testing.T) {
	for declared, want := range map[string]string{
		"en-us": "en-US", "EN-US": "en-US", "zh-hans": "zh-Hans", "zh-HANT-tw": "zh-Hant-TW",
		"De": "de", "sl-IT-nedis": "sl-IT-nedis", "en-x-us": "en-x-us", "": "", "fr-": "fr-", "é1-ßß": "é1-ßß",
	} {
		if got := tagCase(declared); got != want {
			t.Errorf("tagCase(%q) = %q, want %q", declared, got, want)
		}
	}
}

func BenchmarkLanguageOf6kB(b *testing.B) {
	text := strings.Repeat("the harvest of orchards in the valley was better than anybody had hoped for and many came to see it ", 60)
	for b.Loop() {
		if got := Language("", text); got != "en" {
			b.Fatalf("Language = %q, want en", got)
		}
	}
}

func TestMarksAreOfNoScript(t *testing.T) {
	for r := rune(firstMark); r <= lastMark; r++ {
		if IsIdeograph(r) {
			t.Errorf("%U is an ideograph", r)
		}
		for _, s := range scripts {
			if unicode.Is(s.table, r) {
				t.Errorf("%U is a letter for %q", r, s.language)
			}
		}
	}
}

func TestSourceCodeTellsNoLanguage(t *testing.T) {
	for _, text := range []string{
		"val structure : Parsetree.structure -> unit\nval signature : Parsetree.signature -> unit",
		"Module Split\nval fundecl : Mach.fundecl -> Mach.fundecl\nval reset : unit -> unit",
		"Module Array.Floatarray\nval create : int -> floatarray\nval length : floatarray -> int\nval get : floatarray -> int -> float\nval set : floatarray -> int -> float -> unit\nval unsafe_get : floatarray -> int -> float\nval unsafe_set : floatarray -> int -> float -> unit",
	} {
		if got := Language("", text); got != "" && got != "en" {
			t.Errorf("Language of %q is %q, want none or en", text, got)
		}
	}
	const prose = "Funcția de mai jos întoarce lungimea tabloului, iar dacă acesta este gol, întoarce zero. Nu schimbă nimic în el și poate fi folosită oriunde."
	if got := Language("", prose+"\nval length : floatarray -> int\nval get : floatarray -> int -> float"); got != "ro" {
		t.Errorf("the language of prose above source code is %q, want ro", got)
	}
}
