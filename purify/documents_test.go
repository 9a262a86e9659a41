package purify

import (
	"archive/zip"
	"bytes"
	"strings"
	"testing"
)

// wordFile is a docx with these properties and paragraphs.
func wordFile(t *testing.T, title string, paragraphs ...string) []byte {
	t.Helper()
	var out bytes.Buffer
	z := zip.NewWriter(&out)
	for _, f := range [][2]string{
		{"docProps/core.xml", `<c xmlns:dc="d"><dc:title>` + title + `</dc:title></c>`},
		{"word/document.xml", `<d xmlns:w="w"><w:p><w:t>` + strings.Join(paragraphs, `</w:t></w:p><w:p><w:t>`) + `</w:t></w:p></d>`},
	} {
		w, err := z.Create(f[0])
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write([]byte(f[1])); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func TestTheFirstLinesOfAFileCorrectTheTitleThatItDeclares(t *testing.T) {
	const (
		docx = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
		text = "Présents : Mme Legrand, maire, et dix conseillers. La séance est ouverte à vingt heures, et le procès-verbal de la réunion précédente est adopté."
	)
	for _, c := range []struct {
		declared    string
		lines       []string
		title, date string
	}{
		{"Compte rendu du conseil municipal du 13 mars 2014", []string{"Compte rendu du conseil municipal du 20 juin 2014", text}, "Compte rendu du conseil municipal du 20 juin 2014", "2014-06-20"},
		{"COMPTE-RENDU", []string{"Mairie de Ruche", "COMPTE-RENDU DU CONSEIL MUNICIPAL", "Séance du 20 juin 2014", text}, "COMPTE-RENDU DU CONSEIL MUNICIPAL Séance du 20 juin 2014", "2014-06-20"},
		{"Conseil municipal du 20 juin 2014", []string{"Mairie de Ruche", "Séance du vendredi 20 juin 2014", text}, "Conseil municipal du 20 juin 2014", "2014-06-20"},
		{"Les abeilles de Ruche", []string{"Rapport", "le 20 juin 2014", text}, "Les abeilles de Ruche", "2014-06-20"},
		{"Rapport", []string{"Les abeilles de Ruche", text, "Fait à Ruche, le 20 juin 2014"}, "Rapport", "2014-06-20"},
		{"Rapport", []string{"Rapport", "de la ruche", "Distribution : générale", "20 juin 2014"}, "Rapport", "2014-06-20"},
		{"", []string{"Les abeilles de Ruche", text}, "Les abeilles de Ruche", ""},
	} {
		v := PurifyAt("https://h.example/2016-06-20.docx", wordFile(t, c.declared, c.lines...), docx)
		if v.Title != c.title || v.Date != c.date {
			t.Errorf("%q, %q: title %q, date %q; want %q, %q", c.declared, c.lines, v.Title, v.Date, c.title, c.date)
		}
	}
}
