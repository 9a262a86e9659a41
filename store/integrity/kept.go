package integrity

import (
	"fmt"

	"gatecrawl.example/gatecrawl/dedup"
	"gatecrawl.example/gatecrawl/page"
	"gatecrawl.example/gatecrawl/store/job"
	"gatecrawl.example/gatecrawl/store/kv"
)

// A keptFault is something wrong with the stored data of a page.
type keptFault struct {
	invariant string // the invariant that does not hold
	detail    string // of a Breach
	why       string // why the page has to be removed
}

// keptFaults checks the stored data of a page that is not a copy. kept is false if the page has no
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

// sampleViews is from how many kept pages one is drawn whose view is signed again: that takes as
// long as all other checks of a hundred pages.
const sampleViews = 16

// readingFault checks that a kept page's record, signature and view come from one reading of the
// page.
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
	got.Bands[0] = sig.Bands[0] // this band only leads to candidates; long pages did not always have their title in it
	if j.IDF != "" {
		got.SimHash = sig.SimHash // its words were weighted by a table that is not available
	}
	if got != *sig {
		return keptFault{what, p.URL + ": the view's body is not what was signed", why}, true
	}
	return f, false
}
