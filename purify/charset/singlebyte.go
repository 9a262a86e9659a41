package charset

// singleByte returns the single-byte charset in which the high bytes of a sample are most likely,
// among those of Latin letters or among the others; "" if that is not certain: the charset must be
// much likelier than windows-1252, which is the default.
func singleByte(sample []byte, latin bool) string {
	var count [128]int
	distinct := 0
	for _, c := range sample {
		if c < 128 {
			continue
		}
		if count[c-128]++; count[c-128] == 1 {
			distinct++
		}
	}
	if distinct < leastLetters {
		return ""
	}
	best, western := 0, 0 // negative log likelihoods, in half nats
	name := ""
	for i := range highLetters {
		l := &highLetters[i]
		if latin && !latinLetters[l.charset] || !latin && latinLetters[l.charset] && l.charset != "windows-1252" {
			continue
		}
		n := 0
		for c, k := range count {
			n += k * int(l.odds[c]-'a')
		}
		if name == "" || n < best {
			best, name = n, l.charset
		}
		if l.charset == "windows-1252" && (western == 0 || n < western) {
			western = n
		}
	}
	if name != "windows-1252" && western-best < 2*leastMargin {
		return ""
	}
	return name
}

// latinLetters are the charsets of highLetters for Latin letters.
var latinLetters = map[string]bool{"iso-8859-2": true, "windows-1250": true, "windows-1252": true, "windows-1254": true, "windows-1257": true}

// leastLetters is how many different high bytes are needed to recognise a language, and leastMargin
// by how many nats another charset has to be likelier than windows-1252: signs such as © and ³ are
// letters in other charsets.
const (
	leastLetters = 4
	leastMargin  = 10
)

// highLetters has languages in their charsets: for each byte from 0x80 on how rare it is among all
// of these, as a letter that stands for -2 ln p, where a is 0. The frequencies are counted in the
// translated messages of the programs of Debian 12 (see TestCountHighLetters).
var highLetters = []struct{ charset, language, odds string }{
	{"ibm866", "ru", "npnqoosonqooommmnnopptrqrwzssqvrfjgjhfjifjhghffhzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzgggikkkjllpiinkiznzzzzzzzzzzxzzw"},
	{"iso-8859-2", "cs", "zzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzizzzzzzzzmzwzzmzzzzzxzzzzhznzzfzzlzzzzzzlnzznkzzxztrzzzqkoozznzzzdzzxzxxffzzgdzozzllzzwzfhkzwfzz"},
	{"iso-8859-2", "hr", "yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyytyyyyyyyyjyyyymyyyyyyyytydyyyyeyyyyyyyoyjyyyyyyymyyyqyymyyyyyyyyyyyyyydyctyyyyyyfyyykyyyyyyyyyyy"},
	{"iso-8859-2", "pl", "zzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzhozlzzmzzwzzpzzlzezdzzezzzzzjzzezzzzzzpzzuozzzzzwoznzzzozzzzzzzzzzzzzzfzzvezzzzzzhzfzzwzzzzzwzzz"},
	{"iso-8859-2", "sk", "zzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzpzzzzmzzzlzpzzmzzzzzzgzzzgzfzzfzzmzzvuzzkozzznzrzzuszzzpzzlzznzzsdzzklwzffzzzezmzzjkkzzzzzfzzfzz"},
	{"iso-8859-2", "sl", "yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyytyyyyyyyyhyyyymyytyyyyyyydyyyyeyyyyyyyyyiyyyyyyyyyyyyyymyyyyyyyyyryyyyttbyyyyyyyyyyyyytyyyyyyyyy"},
	{"iso-8859-5", "ru", "zzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzwzzzzzzzzzzzzzzznpnqoosonqooommmnnoppsrqrwzrsqvrfjgjhfjifihghffhgggikkkjllpiinkixnzzzzzzzzzzzzzz"},
	{"koi8-r", "ru", "zzzzzzzzzzzzzzzzzzzzzzzzzzwzzzzzzzznzzzzzzzzzzzzzzzzzzzzzzzzzzzzkfjkhfkjkfihghffhigggijgiiilnljpvnproopqsnqooommmrnnopsnsrorqwqz"},
	{"koi8-u", "uk", "zzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzkzglzzzzztzzzzzzvzowzzzzzyzxkfjkhgkjkfjhhhffhhghghkgjzhlzmjzumpqoppqtpqnoomnmpnnopsmtznrzupz"},
	{"windows-1250", "cs", "zzzzhlzzzznzzwmzzzzhttnxzzhzzngzjzzzzzzzzszzzzxzzzzzxzzzzzzzzzzzzlzzzzzzlozznkzzxzurzzzqloozznzzzezzxzxxffzzgdzozzllzzwzfhkzwfzz"},
	{"windows-1250", "hr", "yyyyfoyyyyjyyymyynnfhppoyydyyyeyuuyyyyyyyqysyyyyyyyyyyyyyyysyyyyyyyyyypyjyyyyyyynyyyryymyyyyyyyyyyyyyyeyduyyyyyyfyyylyyyyyyyyyyy"},
	{"windows-1250", "hu", "zzzzimzzzzzzzzzzzzxzispxzzzzzzzzxzzzzzzzztztzzxzzzzzzzzzzzztzzzzzjzzzzzzzjzzzmzzxzzmzomqzzorpzzxzczzzzzzzdzzzfzzzzzfzgfzzziihzzz"},
	{"windows-1250", "pl", "zzzzgozzzzwzmzzpzzuzgrzozzzzezzjhzzlzozzztzzzzwlzzzezzzuzezzzzzezzzzzzpzzupzzzzzwoznzzzozzzzzzzzzzzzzzfzzvezzzzzzhzfzzwzzzzzwzzz"},
	{"windows-1250", "ro", "zzzzfqzzzzzzzzzzzzzpfqzrzzzzzzzzpzzzzzzzzrnlzzzzzzzzzzzzzzilzzzzzzqkzzzzzzzzzzjzvzzzzzzozzzzzzpzzzgbzzzvzzzzzzezzzzszzzzzzzzzzjz"},
	{"windows-1250", "sk", "zzzzhrzzzzlzzpmzzzzhsrwszzgzzffzqzzzzzzzztzzzzwzzzzzzzzzzzzzmzgzzmzzvuzzkozzznzrzzuszzzpzzlzznzzsdzzklwzffzzzfzmzzjkkzzzzzfzzfzz"},
	{"windows-1250", "sl", "yyyyyqyyyyiyyymyyyysypotyydyyyeytyyyyyyyyryfyytyyyyyyyyyytyfyyyyyyyyyyyyiyyyyyyyyyyyyyymyyyyyyyyyryyyyttcyyyyyyyyyyyyytyyyyyyyyy"},
	{"windows-1251", "be", "zzzzztzzzzzzzzzzzuquuzzuzzzzzzzzywizzzzzuyzpzzzzzzphzzzvnvzpzzzzlomomqtmzqmonlqknmonopmqpzzpsqtpejhjhgkhzkgghfhhghhhklhikzzgiilh"},
	{"windows-1251", "bg", "zzzzkpzzyzzzzzzzzzzkzsxmzzzzzzzzxzzzzzzzzyzxzzzzzzzzzzzzzuzxzzzzlonommrnlonnnlmlmmmoorpqqtqzzztpejgkhfkhfkhhiffhggfjklkjllizwzni"},
	{"windows-1251", "ru", "zzzzzrzzzzzzzzzzzzyzzzzqzzzzzzzzwzzzzzzzzzzmzzzzzzzzzzzznxzmzzzznpnqoosonqooommmnnopptrqrwzssqvrfjgjhfjifjhghffhgggikkkjllpiinki"},
	{"windows-1251", "uk", "zzzzzvzzzzzzzzzzzzpzzyzrzzzzzzzzzzzzzyzzzxvmzzzwzzogtzzzzxkmzzzlmpmqopsnpqnoomnmnnopptqpruzztzupfjgjhgkhfjhhhffhghghkkkjlmzzjzkh"},
	{"windows-1252", "ca", "zzzzzkzzzzvzzzzzzqgqqrvrzzzzzzzzpzzzzzzzzuzezuvzuzzzzzzjzzzezzzzmzzzzzzqpozzzmzvvzrkzzzpzznzzzzzezzzzzzhgezzvgzizzhezzuzzzhzkzzz"},
	{"windows-1252", "da", "yyyyyoyyyyyyyyyyyuuhhpspyyyyyyyyuyyyyyyyyqyiyyuyyyyyyyysyyyiyyyyyyyyylkyyuyyysyyuyyyyyynjyyyyyyyyryyydcuyhyyypyyyyyyyysydyyyyyyy"},
	{"windows-1252", "de", "zzzzjlzzzzvzzzzzzzrjtqnvzzzzzzzzozzzzzzzzrzezzvzzzzzztztzzzezzzzzzzzjzzzzzzzzzzzvzzzzzlozzzzjzzgzvzzezzzztzzzzzzzzzzzvfztzzzczzz"},
	{"windows-1252", "es", "zzzzzozzzzzzzzzzzpppprzwzzzzwzzzsmzzzzzzzrwezzwzuzzzzzzzzzoezzzkznzzzzzzzpzzzmzzwnzkzzzpzzmzzzzzzdzzzzzwzhzzzfzzzhtczzwzzzgzqzzz"},
	{"windows-1252", "fi", "uzzzzpzzzzvzzztzzthnezovzzpzzzrzrzzzzzzzzrzzzvvztzvvzzzzzvzzzzzzzzzzjuzzzzzzzzzzvzzzzznozzzzzzzzzzzzbuzvzvzzzzzzzzzzzzfzzzzzvzzz"},
	{"windows-1252", "fr", "zzzzznzzzzzzzzzzzzhzzspnzzxzpzzzezzzzzzzztzfzzxzqzxzzzzwzzvfzzzzqzszzzzvpjtzzzozxzzzrzzqzzzzzzzxgzmzzzwlgcgqzzkqzzzwjzzzzozotzzw"},
	{"windows-1252", "is", "wwnwlnwwwwwwwwwwwmwknwwqwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwlwwwwqwwqwwwmwwpwwjwwmlwwmwwojwwewwwwfwwiwwwfwwcwwgwwgwwwgwwhgw"},
	{"windows-1252", "it", "rxxxxmxxxxxxxxxxxxqxxoxoxxxxxxxxmxxxxxxxxpsfxxxxoxxxxxxxxxpfxxxxoxxxxxxxhxxxsxxxsxsxxxxlxsxxxxxxexxxxxxschxxkxxxxxfxxxxxxfxxxxxx"},
	{"windows-1252", "nb", "yyyyyiyyyyyyyyyyyyyyyyoyyyyyyyyyqyyyyytyyqydyytyyyyyyyyyyyydyyyyyyytylyyyyyyyyyyyyyyyyynjyyyyyyytyyyychtslyyyyyyyyyyyytydyyyyyyy"},
	{"windows-1252", "nl", "uuuuujuuuupuuuuuudduuuomuupupuuumuuuuuuuumunupppouuuuuuuuuunuuuuuuupuuuuunuuuuuupuuuuuujuuuuuuuuuouuuuupneueupueuuuiuunuuuuuouuu"},
	{"windows-1252", "pt", "zzzzzpzzzzzzzzzzzttiisrqzzzzzzzzqzzzzzzzzsqzzvvzzzzzzzzzzzmzzzzztlrkzzzkzlzzvmzzvzxozozozvmzzzzzkekdzzzdzfhzzfzzzzzglgzzzzhzuzzz"},
	{"windows-1252", "sv", "zzzzzmzzzzwwzzwzzzzzfsrpzzzwzzzzuzzzzzzzzrzzzzwzzzzzzzzrzzzzzzzzzzzzklzzzzzzzzzzwzzzzzlpzzzzzzzzrwzzcdzwzszzzzzzzzzzzzdzzzwzzzzz"},
	{"windows-1253", "el", "zzzzztzzzzzzzzzzzywzzzzwzzzzzzzzuzqzzzzzzzzmzzzzzzzzzzzrptwmqzvxzlrpnmwnqpopnpummpznmqrouuzziiihzfliifmgjghhggmfhghgfhjjojuyijlz"},
	{"windows-1254", "tr", "zzzzzszzzzxzzzzzzsolltztzzzzzzzzzzzzzzzzzxzzzzxzzzzzzzzzzzzzzzzzzzzzzzzkzzzzzzzzozzzzzlrzzzzmimzzzqzzzzezxzzzzszfzzzzzgzzzzzecez"},
	{"windows-1255", "he", "zzpzoqzzzzzzzzzzzrnkksrszzzzzzzzwzzzzzzzzvpzzzwzzzzzzzzuzzzzzzzzuzzzuwwzzwzzszlzzzzzzzznnzzzzzzzggihffkiiekigifighimhljhggfzzpoz"},
	{"windows-1256", "ar", "zzzzzuzzzzzzzzzzzzwqqzzyzzzzzqwztlzzzzzzzzzzzzzzzzzzzzznzzszzzzrzmpinjlehggljijhjgkhjikqimhkohiizezfgjgzzyzzkfzzoyvpzoozlzqzzyoz"},
	{"windows-1256", "fa", "zizzzrzzzzzzzkozizzzzzzshzzzzhwzzmzzzzzzzzzlzzzzzzzzzzzzzzqlzzzqzrmpwzpegzgnjjifmfihhjmpkmimzijwzizgffgzzzzzzzzzqzztzurznzzzzoqz"},
	{"windows-1257", "et", "xxxxjpxxxxxxxxxxxxpjxxttxxxxxxxxxxxxxxxxxpxxxxtxxxxxxxxxxxxxxxxxxxxxkxxxxxxxxxxxrxxxxiqlxxxxixxxxxxxcxxxxxxxxxxxnxxxxdgxxxxxdxlx"},
	{"windows-1257", "lt", "zzzzgozzzzzzzzzzzzzgzpnszzzzzzzzszzzzzzzztzzzzuzzzzzzzzuzzztzzzzojzzzzpzozzozzzzjzzzzzzoqzzrzzkzffzzzzizgzzdzzzzdzzzzzzzezzhzzfz"},
	{"windows-1257", "lv", "zzzzzpzzzzzzzzzzzzzhhpukzzzzzzzzozzzzzzzzuzzzzuzzzzzzzzzzzuzzzzzzzozzzzmrzzzspnnlzszzzznzzzszzszzzczzzzdozzzkjegfzhzzzzzzzzhzzjz"},
}
