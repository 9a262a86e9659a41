package document

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"unicode"

	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu"
	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/model"
)

// encryptedPDF encrypts a PDF so that it opens with the user's password.
func encryptedPDF(t *testing.T, content []byte, user string, aes bool, bits int) []byte {
	t.Helper()
	model.ConfigPath = "disable"
	c := model.NewDefaultConfiguration()
	c.Cmd = model.ENCRYPT
	c.UserPW, c.OwnerPW = user, "the owner"
	c.EncryptUsingAES, c.EncryptKeyLength = aes, bits
	file, err := pdfcpu.Read(bytes.NewReader(content), c)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	file.Write.Writer = bufio.NewWriter(&b)
	if err := errors.Join(pdfcpu.WriteContext(file), file.Write.Flush()); err != nil {
		t.Fatal(err)
	}
	if bytes.Contains(b.Bytes(), []byte("harbour")) || !bytes.Contains(b.Bytes(), []byte("/Encrypt")) {
		t.Fatalf("not encrypted: %q", b.Bytes())
	}
	return b.Bytes()
}

func TestABrokenOrEncryptedPDFIsReadAsBrowsersReadIt(t *testing.T) {
	const operators = "BT /F1 12 Tf (The harbour) Tj ET"
	made := string(madePDF(operators))
	hexed := fmt.Sprintf("%x>", operators)
	inHex := strings.Replace(made, fmt.Sprintf("<< /Length %d >>\nstream\n%s\n", len(operators), operators),
		fmt.Sprintf("<< /Length %d /Filter /ASCIIHexDecode >>\nstream\n%s\n", len(hexed), hexed), 1)
	start := strings.Index(made, "startxref")
	for name, content := range map[string]string{
		"objects elsewhere than its table says": strings.Replace(made, "2 0 obj", "% edited by hand\n2 0 obj", 1),
		"a table elsewhere than the end says":   made[:start] + "startxref\n17\n%%EOF\n",
		"no end":                                made[:start],
		"a bracket too many":                    strings.Replace(made, "/Count 1 >>", "/Count 1 >>>", 1),
		"a mark of UTF-8 before its header":     "\ufeff" + made,
		"an older filter":                       inHex,
		"RC4 with 40 bits":                      string(encryptedPDF(t, []byte(made), "", false, 40)),
		"RC4 with 128 bits":                     string(encryptedPDF(t, []byte(made), "", false, 128)),
		"AES with 128 bits":                     string(encryptedPDF(t, []byte(made), "", true, 128)),
		"AES with 256 bits":                     string(encryptedPDF(t, []byte(made), "", true, 256)),
	} {
		if got := Sniff([]byte(content)); got != "application/pdf" {
			t.Errorf("%s: Sniff = %q", name, got)
		}
		if text, err := Text(PDF, []byte(content)); strings.TrimSpace(text) != "The harbour" || err != nil {
			t.Errorf("%s: %q, %v", name, text, err)
		}
	}
	for name, content := range map[string][]byte{
		"RC4 with 40 bits":  encryptedPDF(t, []byte(made), "secret", false, 40),
		"AES with 256 bits": encryptedPDF(t, []byte(made), "secret", true, 256),
	} {
		if text, err := Text(PDF, content); text != "" || err == nil || err.Error() != errEncrypted.Error() {
			t.Errorf("%s and a password: %q, %v, want that it is encrypted", name, text, err)
		}
	}
	huge := strings.Replace(made[:start], "2 0 obj", "2147483647 0 obj", 1)
	if text, err := Text(PDF, []byte(huge)); err == nil || strings.Contains(err.Error(), "memory") {
		t.Errorf("an object with a huge number: %q, %v", text, err)
	}
}

// TestPDFsOfOthers compares the words of the PDFs below the folder in GATECRAWL_PDFS with those that pdftotext
// finds (poppler-utils).
func TestPDFsOfOthers(t *testing.T) {
	dir := os.Getenv("GATECRAWL_PDFS")
	if dir == "" {
		t.Skip("set GATECRAWL_PDFS to a folder of PDFs")
	}
	if _, err := exec.LookPath("pdftotext"); err != nil {
		t.Skip("pdftotext is not installed: apt-get install poppler-utils")
	}
	const few = 20 // words: files with fewer are drawings and tests
	var files, none, half, most, all int
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.EqualFold(filepath.Ext(path), ".pdf") {
			return err
		}
		content, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		files++
		theirs, _ := exec.Command("pdftotext", "-q", path, "-").Output() // of a file that it cannot read it finds no words
		want := words(string(theirs))
		var of, found int
		for _, n := range want {
			of += n
		}
		if of < few {
			return nil
		}
		text, errText := Text(PDF, content)
		for w, n := range words(text) {
			found += min(n, want[w])
		}
		switch share := float64(found) / float64(of); {
		case errText != nil:
			none++
		case share < .5:
			half++
		case share < .9:
			most++
		default:
			all++
			return nil
		}
		t.Logf("%d of %d words, %v: %s", found, of, errText, path)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("of %d files %d have %d words by pdftotext: %d no text, %d less than half of the words, %d less than .9, %d more", files, none+half+most+all, few, none, half, most, all)
}

func words(text string) map[string]int {
	counts := make(map[string]int)
	for w := range strings.FieldsFuncSeq(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		counts[w]++
	}
	return counts
}
