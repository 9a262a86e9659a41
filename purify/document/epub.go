package document

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"net/url"
	"path"
	"strings"
)

// epubContainer is the file that names the package file, which lists the parts of an EPUB (EPUB
// 3.3, section 4.2.6.3.1).
const epubContainer = "META-INF/container.xml"

var epubText = officeText{
	ends:  "p h1 h2 h3 h4 h5 h6 li dt dd tr div section article blockquote figcaption caption pre",
	marks: map[string]string{"br": "\n", "td": " ", "th": " "},
	skip:  "head script style svg math nav", flows: true,
}

// readEPUB reads the chapters of a book in the order of its spine.
func readEPUB(content []byte) (string, error) {
	book, err := unpack(content)
	if err != nil {
		return "", err
	}
	root, err := book.packageFile()
	if err != nil {
		return "", err
	}
	var list struct {
		Items []struct {
			ID   string `xml:"id,attr"`
			Href string `xml:"href,attr"`
		} `xml:"manifest>item"`
		Spine []struct {
			ID string `xml:"idref,attr"`
		} `xml:"spine>itemref"`
	}
	if err := book.parse(root, &list); err != nil {
		return "", err
	}
	chapters := make(map[string]string, len(list.Items))
	for _, item := range list.Items {
		href, _, _ := strings.Cut(item.Href, "#") // some books have one, although they must not
		if name, err := url.PathUnescape(href); err == nil {
			chapters[item.ID] = path.Join(path.Dir(root), name)
		}
	}
	var text strings.Builder
	read := make(map[string]bool, len(list.Spine))
	for _, of := range list.Spine {
		name := chapters[of.ID]
		if read[name] {
			continue // a spine names a chapter only once (EPUB 3.3, section 5.7.2)
		}
		read[name] = true
		in, err := book.open(name)
		if err != nil {
			return "", err
		}
		chapter, err := epubText.read(in, book)
		if err = errors.Join(err, in.Close()); err != nil {
			return "", fmt.Errorf("%s: %w", name, err)
		}
		if text.WriteString(chapter); text.Len() >= MaxText {
			return text.String()[:MaxText], nil
		}
	}
	return text.String(), nil
}

// packageFile returns the name of the file that lists the parts of an EPUB.
func (u *unpacking) packageFile() (string, error) {
	var container struct {
		Roots []struct {
			Path string `xml:"full-path,attr"`
		} `xml:"rootfiles>rootfile"`
	}
	if err := u.parse(epubContainer, &container); err != nil {
		return "", err
	}
	if len(container.Roots) == 0 {
		return "", errors.New("it names no list of its chapters")
	}
	return container.Roots[0].Path, nil
}

// parse decodes an XML file of a book.
func (u *unpacking) parse(name string, into any) error {
	in, err := u.open(name)
	if err != nil {
		return err
	}
	defer in.Close()
	bounded := io.LimitedReader{R: in, N: maxList}
	err = xml.NewDecoder(&bounded).Decode(into)
	if err != nil && bounded.N == 0 {
		return fmt.Errorf("%s is longer than %d MiB", name, maxList>>20)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}
