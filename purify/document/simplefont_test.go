package document

import "testing"

func TestSimpleFontsOfAPDFSayTheirLetters(t *testing.T) {
	const ofTeX = "%!PS-AdobeFont-1.0: CMR10\n/FontName /ABCDEF+CMR10 def\n/Encoding 256 array\n0 1 255 {1 index exch /.notdef put} for\n" +
		"dup 12 /fi put\ndup 34/quotedblright put\ndup 8#173 /endash put\ndup 97 /a put\nreadonly def\ncurrentfile eexec dup 98 /c put def"
	for _, test := range []struct{ name, encoding, table, shown, want string }{
		{"names in a font of TeX", "/FontDescriptor << /FontFile 8 0 R >>", ofTeX, `a\014x a{b\042`, "afix a–b”"},
		{"a font that has the standard names", "/FontDescriptor << /FontFile 8 0 R >>", "%!\n/Encoding StandardEncoding def", `don\047t`, "don’t"},
		{"what differs from an encoding", "/Encoding << /BaseEncoding /WinAnsiEncoding /Differences [27 /ff /fi] >>", "", `o\033er don\222t \2223 na\357ve`, "offer don’t ’3 naïve"},
		{"what differs from the encoding of a Macintosh", "/Encoding << /BaseEncoding /MacRomanEncoding /Differences [1 /fl] >>", "", `\001at na\225ve`, "flat naïve"},
		{"names that say nothing, and a table", "/Encoding << /Differences [65 /G1 /G2] >> /ToUnicode 8 0 R",
			"1 begincodespacerange <00> <FF> endcodespacerange 2 beginbfchar <41> <00660069> <42> <006E> endbfchar", "AB", "fin"},
		{"a table of two bytes for codes of one", "/Encoding /WinAnsiEncoding /ToUnicode 8 0 R",
			"1 begincodespacerange <0000> <FFFF> endcodespacerange 1 beginbfchar <0041> <0078> endbfchar", "AB", "xB"},
		{"a table that leads nowhere", "/Encoding /WinAnsiEncoding /ToUnicode 8 0 R",
			"1 begincodespacerange <00> <FF> endcodespacerange 3 beginbfchar <41> <0000> <42> <E001> <43> <FFFD> endbfchar", "ABC", "ABC"},
		{"names of a list without an end", "/Encoding << /Differences [300 /A -2 /B /C /D] >>", "", `\000E`, "DE"},
	} {
		text, err := readPDF(madePDFOf("BT /F1 12 Tf 72 700 Td ("+test.shown+") Tj ET", test.encoding, "/Encoding /Identity-H", "Identity", test.table))
		if got := ligatures.Replace(oneLine(text)); err != nil || got != test.want {
			t.Errorf("%s: %q, %v, want %q", test.name, got, err, test.want)
		}
	}
}
