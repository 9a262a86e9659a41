package words

import "testing"

// The languages that most people write, each in a sentence of a few words and in several sentences.
func TestLanguagesOfShortAndLongTexts(t *testing.T) {
	for _, c := range []struct{ lang, short, more string }{
		{"en", "The children read a new book in the old house.", "Their mother is in the garden, and it has been raining since this morning."},
		{"zh", "孩子们在老房子里读一本新书。", "妈妈在花园里，从今天早上开始一直在下雨。"},
		{"hi", "बच्चे पुराने घर में नई किताब पढ़ रहे हैं।", "उनकी माँ बगीचे में है और आज सुबह से बारिश हो रही है।"},
		{"es", "Los niños leen un libro nuevo en la casa vieja.", "Su madre está en el jardín y llueve desde esta mañana."},
		{"fr", "Les enfants lisent un nouveau livre dans la vieille maison.", "Leur mère est dans le jardin et il pleut depuis ce matin."},
		{"ar", "يقرأ الأطفال كتابا جديدا في البيت القديم.", "أمهم في الحديقة، والمطر يهطل منذ هذا الصباح."},
		{"bn", "বাচ্চারা পুরানো বাড়িতে একটি নতুন বই পড়ছে।", "তাদের মা বাগানে আছেন এবং আজ সকাল থেকে বৃষ্টি হচ্ছে।"},
		{"pt", "As crianças leem um livro novo na casa velha.", "A mãe delas está no jardim e não para de chover desde esta manhã."},
		{"ru", "Дети читают новые книги в старом доме.", "Их мать в саду, и с самого утра идёт дождь."},
		{"ur", "بچے پرانے گھر میں ایک نئی کتاب پڑھ رہے ہیں۔", "ان کی ماں باغ میں ہے اور آج صبح سے بارش ہو رہی ہے۔"},
		{"id", "Anak-anak membaca buku baru di rumah yang lama itu.", "Ibu mereka ada di kebun dan hujan sudah turun sejak pagi ini."},
		{"de", "Die Kinder lesen ein neues Buch in dem alten Haus.", "Ihre Mutter ist im Garten, und es regnet seit heute Morgen."},
		{"ja", "子どもたちは古い家で新しい本を読んでいます。", "お母さんは庭にいて、今朝からずっと雨が降っています。"},
		{"mr", "मुले जुन्या घरात नवीन पुस्तक वाचत आहेत.", "त्यांची आई बागेत आहे आणि आज सकाळपासून पाऊस पडत आहे."},
		{"te", "పిల్లలు పాత ఇంట్లో కొత్త పుస్తకం చదువుతున్నారు.", "వారి తల్లి తోటలో ఉంది, ఉదయం నుండి వర్షం పడుతోంది."},
		{"tr", "Çocuklar eski evde yeni bir kitap okuyorlar.", "Anneleri bahçede ve bu sabahtan beri yağmur yağıyor."},
		{"ta", "குழந்தைகள் பழைய வீட்டில் புதிய புத்தகம் படிக்கிறார்கள்.", "அவர்களின் தாய் தோட்டத்தில் இருக்கிறார், காலை முதல் மழை பெய்கிறது."},
		{"ko", "아이들이 낡은 집에서 새 책을 읽고 있습니다.", "어머니는 정원에 계시고 오늘 아침부터 비가 내리고 있습니다."},
		{"vi", "Những đứa trẻ đọc một cuốn sách mới trong ngôi nhà cũ.", "Mẹ của chúng đang ở trong vườn và trời mưa từ sáng nay."},
		{"it", "I bambini leggono un libro nuovo nella vecchia casa.", "La loro madre è in giardino e piove da questa mattina."},
		{"gu", "બાળકો જૂના ઘરમાં નવું પુસ્તક વાંચી રહ્યા છે.", "તેમની માતા બગીચામાં છે અને આજે સવારથી વરસાદ પડી રહ્યો છે."},
		{"fa", "بچه\u200cها در خانه قدیمی یک کتاب جدید می\u200cخوانند.", "مادرشان در باغ است و از امروز صبح باران می\u200cبارد."},
		{"pl", "Dzieci czytają nową książkę w starym domu.", "Ich matka jest w ogrodzie, a od rana pada deszcz."},
		{"uk", "Діти читають нову книгу в старому будинку.", "Їхня мати в саду, і від самого ранку йде дощ."},
		{"ml", "കുട്ടികൾ പഴയ വീട്ടിൽ പുതിയ പുസ്തകം വായിക്കുന്നു.", "അവരുടെ അമ്മ പൂന്തോട്ടത്തിലാണ്, രാവിലെ മുതൽ മഴ പെയ്യുന്നു."},
		{"kn", "ಮಕ್ಕಳು ಹಳೆಯ ಮನೆಯಲ್ಲಿ ಹೊಸ ಪುಸ್ತಕ ಓದುತ್ತಿದ್ದಾರೆ.", "ಅವರ ತಾಯಿ ತೋಟದಲ್ಲಿ ಇದ್ದಾರೆ ಮತ್ತು ಬೆಳಿಗ್ಗೆಯಿಂದ ಮಳೆ ಬರುತ್ತಿದೆ."},
		{"th", "เด็กๆ อ่านหนังสือเล่มใหม่ในบ้านหลังเก่า", "แม่ของพวกเขาอยู่ในสวนและฝนตกตั้งแต่เช้านี้"},
		{"ro", "Copiii citesc o carte nouă în casa veche.", "Mama lor este în grădină și plouă de azi dimineață."},
		{"nl", "De kinderen lezen een nieuw boek in het oude huis.", "Hun moeder is in de tuin en het regent sinds vanmorgen."},
		{"pa", "ਬੱਚੇ ਪੁਰਾਣੇ ਘਰ ਵਿੱਚ ਨਵੀਂ ਕਿਤਾਬ ਪੜ੍ਹ ਰਹੇ ਹਨ।", "ਉਨ੍ਹਾਂ ਦੀ ਮਾਂ ਬਾਗ ਵਿੱਚ ਹੈ ਅਤੇ ਅੱਜ ਸਵੇਰ ਤੋਂ ਮੀਂਹ ਪੈ ਰਿਹਾ ਹੈ।"},
	} {
		for _, text := range []string{c.short, c.short + " " + c.more} {
			if got := Language("", text); got != c.lang {
				t.Errorf("Language of %q is %q, want %q", text, got, c.lang)
			}
		}
	}
}
