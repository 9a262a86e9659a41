package integrity

import (
	"fmt"

	"gatecrawl.example/gatecrawl/dedup"
	"gatecrawl.example/gatecrawl/page"
	"gatecrawl.example/gatecrawl/store/job"
	"gatecrawl.example/gatecrawl/store/kv"
)

// A keptFault is something that is wrong with what is kept of a page.
type keptFault struct {
	invariant string // which does not hold
	detail    string // of a breach
	why       string // the page has to leave
}

// keptFaults checks what is kept of a page that is not a copy; kept is false if it has no
// signature.
func (j *Job) keptFaults(in job.Snapshot, p *page.Record) (faults []keptFault, kept bool, err error) {
	b, err := in.Get(page.TableSignatures, page.Key(p.Seq))
	if err != nil {
		return nil, false, err
	}
	if b == nil {
		if p.Verdict == page.VerdictNew {
			faults = []keptFault{{"every kept page has a signature", p.URL, "its signature is not there"}}
		}
		return faults, false, nil
	}
	sig, err := page.DecodeSignature(b)
	if err != nil {
		return []keptFault{{"every signature can be read", err.Error(), err.Error()}}, true, nil
	}
	if sig.Bytes.String() != p.Digest {
		return []keptFault{{"record and signature have one digest", p.URL, "record and signature have two digests"}}, true, nil
	}
	there, err := kv.Has(in, page.TableBodies, page.Key(p.Seq))
	if err != nil {
		return nil, true, err
	}
	if sig.Tokens > 0 && !there {
		faults = append(faults, keptFault{"every kept page with text has its bytes", p.URL, "its bytes are not there"})
	}
	if f, ok := j.readingFault(in, p, &sig); ok {
		faults = append(faults, f)
	}
	return faults, true, nil
}

// sampleViews is how many kept pages there are to one whose view is signed: that
// takes as long as all other checks of a hundred pages.
const sampleViews = 16

// readingFault says what is wrong where a kept page's record, signature and view are not of
// one reading of it.
func (j *Job) readingFault(in job.Snapshot, p *page.Record, sig *dedup.Signature) (f keptFault, wrong bool) {
	const what, why = "record, signature and view are of one reading", "record, signature and view are not of one reading"
	if p.SimHash != "" && p.SimHash != fmt.Sprintf("%016x", sig.SimHash) {
		return keptFault{what, fmt.Sprintf("%s: the record has SimHash %s, the signature %016x", p.URL, p.SimHash, sig.SimHash), why}, true
	}
	if p.Seq%sampleViews != 1 {
		return f, false
	}
	view, err := j.Archive.View(in, p.Seq)
	if err != nil {
		return keptFault{"every view can be read", err.Error(), why}, true
	}
	if view == nil {
		return f, false
	}
	got := dedup.SignView(sig.Bytes, view)
	got.Bands[0] = sig.Bands[0] // which only leads to candidates; long pages used to have no title there
	if j.IDF != "" {
		got.SimHash = sig.SimHash // its words were weighed by a table that is not at hand
	}
	if got != *sig {
		return keptFault{what, p.URL + ": the view's body is not what was signed", why}, true
	}
	return f, false
}
