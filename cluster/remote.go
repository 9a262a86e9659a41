package cluster

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"sync"
	"time"

	"gatecrawl.example/gatecrawl"
	"gatecrawl.example/gatecrawl/cluster/engine"
	"gatecrawl.example/gatecrawl/cluster/internal/rpc"
	"gatecrawl.example/gatecrawl/dedup"
	"gatecrawl.example/gatecrawl/dedup/group"
	"gatecrawl.example/gatecrawl/frontier/weburl"
	"gatecrawl.example/gatecrawl/mirror"
	"gatecrawl.example/gatecrawl/mirror/dust"
	"gatecrawl.example/gatecrawl/mirror/linkrot"
	"gatecrawl.example/gatecrawl/page"
	"gatecrawl.example/gatecrawl/purify"
	"gatecrawl.example/gatecrawl/store"
	"gatecrawl.example/gatecrawl/store/kv/row"
	"gatecrawl.example/gatecrawl/store/letter"
)

// What is sent between processes, apart from the types of package gatecrawl.
type (
	largeText struct { // as dedup.Text.AppendBinary
		Text []byte
		OK   bool
	}
	groupQuestion struct {
		Seq   uint64
		Limit int
	}
	groupForm struct {
		Group gatecrawl.Group
		OK    bool
	}
	decidedForm struct {
		Seq     uint64
		Verdict dedup.Verdict
		Sign    signature
	}
	signedText struct {
		Sign signature
		Text []byte // as dedup.Text.AppendBinary; nil: none
	}
	recordForm struct { // with the fields that a record's JSON leaves out
		page.Record
		BodyOf uint64
		First  bool
	}
	keptForm struct {
		Seq  uint64
		Sign signature
	}
	elsewhereForm struct {
		Seq   uint64
		Place uint32
		Size  group.Size
	}
	documentForm struct {
		Document mirror.Document
		State    mirror.State
	}
	twinsForm struct {
		Deferred int
		Twins    []*mirror.Twin
	}
	bodyForm struct {
		Body string
		OK   bool
	}
	parkQuestion struct {
		Host string
		Till time.Time
	}
	verifiedForm struct { // breaches come first, and then the counts
		Breach *gatecrawl.Breach
		Counts *gatecrawl.Verified
	}
)

// A signature is sent in the form in which it is stored.
type signature dedup.Signature

// AppendBinary implements encoding.BinaryAppender.
func (s signature) AppendBinary(b []byte) ([]byte, error) {
	return append(b, page.EncodeSignature((*dedup.Signature)(&s))...), nil
}

// UnmarshalBinary implements encoding.BinaryUnmarshaler.
func (s *signature) UnmarshalBinary(b []byte) error {
	sig, err := page.DecodeSignature(b)
	*s = signature(sig)
	return err
}

// MarshalJSON implements json.Marshaler.
func (s signature) MarshalJSON() ([]byte, error) {
	return json.Marshal(page.EncodeSignature((*dedup.Signature)(&s)))
}

// UnmarshalJSON implements json.Unmarshaler.
func (s *signature) UnmarshalJSON(text []byte) error {
	var b []byte
	if err := json.Unmarshal(text, &b); err != nil {
		return err
	}
	return s.UnmarshalBinary(b)
}

func formOf(p page.Record) recordForm { return recordForm{p, p.Body, p.Early} }

func (f recordForm) record() page.Record {
	f.Record.Body, f.Record.Early = f.BodyOf, f.First
	return f.Record
}

// methodsOf are the questions that a partition answers.
func methodsOf(p *store.Store) map[string]rpc.Method {
	return map[string]rpc.Method{
		"largetext": rpc.One(func(_ context.Context, of dedup.Ref) (f largeText, err error) {
			text, ok, err := p.Text(of)
			if f.OK = ok; ok && err == nil {
				f.Text, err = text.AppendBinary(nil)
			}
			return f, err
		}),
		"record": rpc.One(func(_ context.Context, seq uint64) (recordForm, error) {
			rec, err := p.Record(seq)
			return formOf(rec), err
		}),
		"named": rpc.One(func(_ context.Context, prefix []byte) (string, error) { return p.Named(prefix) }),
		"group": rpc.One(func(_ context.Context, q groupQuestion) (f groupForm, err error) {
			f.Group, f.OK, err = p.GroupOf(q.Seq, q.Limit)
			return f, err
		}),
		"decided": rpc.One(func(_ context.Context, u weburl.URL) (f decidedForm, err error) {
			var sig dedup.Signature
			f.Seq, f.Verdict, sig, err = p.Decided(u)
			f.Sign = signature(sig)
			return f, err
		}),
		"onsite": rpc.One(func(_ context.Context, q signedText) (signedText, error) {
			text, err := textOf(q.Text)
			if err != nil {
				return signedText{}, err
			}
			sig, text, err := p.OnSite(dedup.Signature(q.Sign), text)
			return signedText{signature(sig), bytesOf(text)}, err
		}),
		"kept": rpc.Many(func(_ context.Context, _ struct{}, each func(keptForm) error) error {
			return p.EachKept(func(seq uint64, sig dedup.Signature) error { return each(keptForm{seq, signature(sig)}) })
		}),
		"elsewhere": rpc.Many(func(_ context.Context, _ struct{}, each func(elsewhereForm) error) error {
			return p.EachElsewhere(func(seq uint64, place uint32, size group.Size) error {
				return each(elsewhereForm{seq, place, size})
			})
		}),
		"status": rpc.One(func(ctx context.Context, _ struct{}) (gatecrawl.Status, error) { return p.Status(ctx) }),
		"pages": rpc.Many(func(ctx context.Context, from uint64, each func(recordForm) error) error {
			return p.Pages(ctx, from, func(rec page.Record) error { return each(formOf(rec)) })
		}),
		"rows": rpc.Many(func(ctx context.Context, w gatecrawl.Wanted, each func(*gatecrawl.Row) error) error {
			return p.Rows(ctx, w, each)
		}),
		"linksto":   rpc.Many(p.LinksTo),
		"linksfrom": rpc.Many(p.LinksFrom),
		"groups":    rpc.Many(p.Groups),
		"sites":     rpc.Many(p.Sites),
		"document": rpc.One(func(ctx context.Context, url string) (f documentForm, err error) {
			f.Document, f.State, err = p.Document(ctx, url)
			return f, err
		}),
		"textat": rpc.One(func(ctx context.Context, url string) (f bodyForm, err error) {
			f.Body, f.OK, err = p.TextAt(ctx, url)
			return f, err
		}),
		"twins": rpc.One(func(_ context.Context, hosts [][2]string) ([]twinsForm, error) {
			ps := make([]mirror.Pair, len(hosts))
			for i, h := range hosts {
				ps[i].A, ps[i].B = h[0], h[1]
			}
			err := p.AddTwins(ps)
			found := make([]twinsForm, len(ps))
			for i := range ps {
				found[i] = twinsForm{ps[i].Deferred, ps[i].Twins}
			}
			return found, err
		}),
		"refused": rpc.One(p.Refused),
		"why":     rpc.One(p.Why),
		"briefs": rpc.Many(func(ctx context.Context, urls []string, each func(gatecrawl.Brief) error) error {
			briefs, err := p.Briefs(ctx, urls)
			for _, b := range briefs {
				if err == nil {
					err = each(b)
				}
			}
			return err
		}),
		"view":    rpc.One(p.View),
		"body":    rpc.One(p.Body),
		"alive":   rpc.One(p.Alive),
		"hosts":   rpc.One(p.Hosts),
		"waiting": rpc.One(p.Waiting),
		"rules": rpc.Many(func(ctx context.Context, _ struct{}, each func(dust.Learned) error) error {
			return p.Rules(ctx, each)
		}),
		"explain": rpc.One(p.Explain),
		"import":  rpc.One(p.ImportRules),
		"revoke": rpc.One(func(ctx context.Context, id dust.ID) (struct{}, error) {
			return struct{}{}, p.RevokeRule(ctx, id)
		}),
		"park": rpc.One(func(ctx context.Context, q parkQuestion) (struct{}, error) {
			return struct{}{}, p.Park(ctx, q.Host, q.Till)
		}),
		"verify": rpc.Many(func(ctx context.Context, _ struct{}, each func(verifiedForm) error) error {
			n, err := p.Verify(ctx, func(b gatecrawl.Breach) error { return each(verifiedForm{Breach: &b}) })
			if err != nil {
				return err
			}
			return each(verifiedForm{Counts: &n})
		}),
	}
}

// bytesOf encodes a text for sending, nil for none, and textOf decodes it.
func bytesOf(t *dedup.Text) []byte {
	if t == nil {
		return nil
	}
	b, _ := t.AppendBinary(nil) // its error is always nil
	return b
}

func textOf(b []byte) (t *dedup.Text, err error) {
	if len(b) == 0 {
		return nil, nil
	}
	t = new(dedup.Text)
	return t, t.UnmarshalBinary(b)
}

// Whether an answer has the text that was asked for.
const (
	textNone  = 0 // no text is kept
	textHere  = 1 // it follows
	textLarge = 2 // it is too large for a message: ask for largetext
)

// largestText is the size of the largest text that fits into one message.
const largestText = engine.MaxBatch - 64

// quickOf are the questions about every page that a partition answers.
func quickOf(p *store.Store) map[string]rpc.Quick {
	return map[string]rpc.Quick{
		"likeness": func(_ context.Context, argument []byte, answer *row.Encoder) error {
			seq, err := rpc.DecodeNumber(argument)
			if err != nil {
				return err
			}
			l, err := p.Likeness(seq)
			if err != nil {
				return err
			}
			rpc.Put(answer, signature(l.Signature))
			answer.Bytes(page.EncodeRecord(&l.Record, dedup.Verdict{}))
			return nil
		},
		"text": func(_ context.Context, argument []byte, answer *row.Encoder) error {
			of, err := rpc.DecodeNumber(argument)
			if err != nil {
				return err
			}
			text, ok, err := p.Text(dedup.Ref(of))
			switch b := bytesOf(&text); {
			case err != nil:
				return err
			case !ok:
				answer.Byte(textNone)
			case len(b) > largestText:
				answer.Byte(textLarge)
			default:
				answer.Byte(textHere)
				answer.Bytes(b)
			}
			return nil
		},
	}
}

// A remotePart is a partition of another process.
type remotePart struct{ rpc.Asker }

func (r *remotePart) Likeness(seq uint64) (*page.Likeness, error) {
	d, err := rpc.AskQuick(r.Asker, "likeness", rpc.EncodeNumber(seq))
	if err != nil {
		return nil, err
	}
	l := new(page.Likeness)
	rpc.Get(d, (*signature)(&l.Signature))
	if err := rpc.ReadAnswer(r.Asker, "likeness", d); err != nil {
		return nil, err
	}
	l.Record, _, err = page.DecodeRecord(d.B)
	l.Record.Seq = seq
	return l, err
}

func (r *remotePart) Text(of dedup.Ref) (text dedup.Text, ok bool, err error) {
	d, err := rpc.AskQuick(r.Asker, "text", rpc.EncodeNumber(uint64(of)))
	if err != nil {
		return text, false, err
	}
	kind := d.Byte()
	if err := rpc.ReadAnswer(r.Asker, "text", d); err != nil || kind == textNone {
		return text, false, err
	}
	b := d.B
	if kind == textLarge {
		f, err := rpc.Ask[largeText](context.Background(), r.Asker, "largetext", of)
		if err != nil || !f.OK {
			return text, false, err
		}
		b = f.Text
	}
	return text, true, text.UnmarshalBinary(b)
}

func (r *remotePart) Record(seq uint64) (page.Record, error) {
	f, err := rpc.Ask[recordForm](context.Background(), r.Asker, "record", seq)
	return f.record(), err
}

func (r *remotePart) Named(prefix []byte) (string, error) {
	return rpc.Ask[string](context.Background(), r.Asker, "named", prefix)
}

func (r *remotePart) GroupOf(seq uint64, limit int) (gatecrawl.Group, bool, error) {
	f, err := rpc.Ask[groupForm](context.Background(), r.Asker, "group", groupQuestion{seq, limit})
	return f.Group, f.OK, err
}

func (r *remotePart) Decided(u weburl.URL) (uint64, dedup.Verdict, dedup.Signature, error) {
	f, err := rpc.Ask[decidedForm](context.Background(), r.Asker, "decided", u)
	return f.Seq, f.Verdict, dedup.Signature(f.Sign), err
}

func (r *remotePart) OnSite(sig dedup.Signature, text *dedup.Text) (dedup.Signature, *dedup.Text, error) {
	f, err := rpc.Ask[signedText](context.Background(), r.Asker, "onsite", signedText{signature(sig), bytesOf(text)})
	if err != nil {
		return sig, nil, err
	}
	on, err := textOf(f.Text)
	return dedup.Signature(f.Sign), on, err
}

func (r *remotePart) EachKept(fn func(seq uint64, sig dedup.Signature) error) error {
	return rpc.AskEach(context.Background(), r.Asker, "kept", struct{}{}, func(f keptForm) error { return fn(f.Seq, dedup.Signature(f.Sign)) })
}

func (r *remotePart) EachElsewhere(fn func(seq uint64, place uint32, size group.Size) error) error {
	return rpc.AskEach(context.Background(), r.Asker, "elsewhere", struct{}{}, func(f elsewhereForm) error { return fn(f.Seq, f.Place, f.Size) })
}

func (r *remotePart) Status(ctx context.Context) (gatecrawl.Status, error) {
	return rpc.Ask[gatecrawl.Status](ctx, r.Asker, "status", struct{}{})
}

func (r *remotePart) Pages(ctx context.Context, from uint64, fn func(page.Record) error) error {
	return rpc.AskEach(ctx, r.Asker, "pages", from, func(f recordForm) error { return fn(f.record()) })
}

func (r *remotePart) Rows(ctx context.Context, want gatecrawl.Wanted, fn func(*gatecrawl.Row) error) error {
	return rpc.AskEach(ctx, r.Asker, "rows", want, fn)
}

func (r *remotePart) LinksTo(ctx context.Context, urls []string, fn func(gatecrawl.Edge) error) error {
	return rpc.AskEach(ctx, r.Asker, "linksto", urls, fn)
}

func (r *remotePart) LinksFrom(ctx context.Context, url string, fn func(gatecrawl.Edge) error) error {
	return rpc.AskEach(ctx, r.Asker, "linksfrom", url, fn)
}

func (r *remotePart) Groups(ctx context.Context, q gatecrawl.GroupQuery, fn func(gatecrawl.Group) error) error {
	return rpc.AskEach(ctx, r.Asker, "groups", q, fn)
}

func (r *remotePart) Sites(ctx context.Context, grouped bool, fn func(mirror.Surveyed) error) error {
	return rpc.AskEach(ctx, r.Asker, "sites", grouped, fn)
}

func (r *remotePart) Document(ctx context.Context, url string) (mirror.Document, mirror.State, error) {
	f, err := rpc.Ask[documentForm](ctx, r.Asker, "document", url)
	return f.Document, f.State, err
}

func (r *remotePart) TextAt(ctx context.Context, url string) (string, bool, error) {
	f, err := rpc.Ask[bodyForm](ctx, r.Asker, "textat", url)
	return f.Body, f.OK, err
}

func (r *remotePart) AddTwins(ps []mirror.Pair) error {
	hosts := make([][2]string, len(ps))
	for i := range ps {
		hosts[i] = [2]string{ps[i].A, ps[i].B}
	}
	found, err := rpc.Ask[[]twinsForm](context.Background(), r.Asker, "twins", hosts)
	if err == nil && len(found) != len(ps) {
		err = fmt.Errorf("%s: %d answers for %d pairs of hosts", r.Subject, len(found), len(ps))
	}
	if err != nil {
		return err
	}
	for i, f := range found {
		ps[i].Deferred += f.Deferred
		ps[i].Twins = append(ps[i].Twins, f.Twins...)
	}
	return nil
}

func (r *remotePart) Why(ctx context.Context, url string) (gatecrawl.Why, error) {
	return rpc.Ask[gatecrawl.Why](ctx, r.Asker, "why", url)
}

func (r *remotePart) Briefs(ctx context.Context, urls []string) (briefs []gatecrawl.Brief, err error) {
	const together = 500 // URLs, well within engine.MaxBatch
	for some := range slices.Chunk(urls, together) {
		err := rpc.AskEach(ctx, r.Asker, "briefs", some, func(b gatecrawl.Brief) error {
			briefs = append(briefs, b)
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	if len(briefs) != len(urls) {
		return nil, fmt.Errorf("%s: %d answers about %d URLs", r.Subject, len(briefs), len(urls))
	}
	return briefs, nil
}

func (r *remotePart) Refused(ctx context.Context, q gatecrawl.RefusedQuery) (gatecrawl.Refused, error) {
	return rpc.Ask[gatecrawl.Refused](ctx, r.Asker, "refused", q)
}

func (r *remotePart) View(ctx context.Context, url string) (*purify.DocView, error) {
	return rpc.Ask[*purify.DocView](ctx, r.Asker, "view", url)
}

func (r *remotePart) Body(ctx context.Context, url string) ([]byte, error) {
	return rpc.Ask[[]byte](ctx, r.Asker, "body", url)
}

func (r *remotePart) Alive(ctx context.Context, url string) (linkrot.Lost, error) {
	return rpc.Ask[linkrot.Lost](ctx, r.Asker, "alive", url)
}

func (r *remotePart) Hosts(ctx context.Context, q gatecrawl.HostQuery) ([]gatecrawl.HostState, error) {
	return rpc.Ask[[]gatecrawl.HostState](ctx, r.Asker, "hosts", q)
}

func (r *remotePart) Waiting(ctx context.Context, q gatecrawl.WaitingQuery) (gatecrawl.Waiting, error) {
	return rpc.Ask[gatecrawl.Waiting](ctx, r.Asker, "waiting", q)
}

func (r *remotePart) Rules(ctx context.Context, fn func(dust.Learned) error) error {
	return rpc.AskEach(ctx, r.Asker, "rules", struct{}{}, fn)
}

func (r *remotePart) Explain(ctx context.Context, u weburl.URL) (dust.Explained, error) {
	return rpc.Ask[dust.Explained](ctx, r.Asker, "explain", u)
}

func (r *remotePart) ImportRules(ctx context.Context, rs []dust.Learned) (int, error) {
	return rpc.Ask[int](ctx, r.Asker, "import", rs)
}

func (r *remotePart) RevokeRule(ctx context.Context, id dust.ID) error {
	_, err := rpc.Ask[struct{}](ctx, r.Asker, "revoke", id)
	return err
}

func (r *remotePart) Park(ctx context.Context, host string, till time.Time) error {
	_, err := rpc.Ask[struct{}](ctx, r.Asker, "park", parkQuestion{host, till})
	return err
}

func (r *remotePart) Verify(ctx context.Context, fn func(gatecrawl.Breach) error) (gatecrawl.Verified, error) {
	return askVerify(ctx, r.Asker, fn)
}

// askVerify has a partition or a gate check itself. The counts come last: an answer without them
// was cut off.
func askVerify(ctx context.Context, of rpc.Asker, fn func(gatecrawl.Breach) error) (n gatecrawl.Verified, err error) {
	whole := false
	err = rpc.AskEach(ctx, of, "verify", struct{}{}, func(f verifiedForm) error {
		if f.Breach != nil {
			return fn(*f.Breach)
		}
		n, whole = *f.Counts, true
		return nil
	})
	if err == nil && !whole {
		err = fmt.Errorf("%s: its check has no end", of.Subject)
	}
	return n, err
}

// methodsOfGate are the questions that the gate answers.
func methodsOfGate(g *gate) map[string]rpc.Method {
	return map[string]rpc.Method{
		"kept": rpc.Many(func(_ context.Context, _ struct{}, each func(keptForm) error) error {
			known, err := g.pages()
			for seq, sig := range known {
				if err == nil {
					err = each(keptForm{seq, signature(sig)})
				}
			}
			return err
		}),
		"verify": rpc.Many(func(ctx context.Context, _ struct{}, each func(verifiedForm) error) error {
			n, err := g.verify(ctx, func(b gatecrawl.Breach) error { return each(verifiedForm{Breach: &b}) })
			if err != nil {
				return err
			}
			return each(verifiedForm{Counts: &gatecrawl.Verified{Breaches: n}})
		}),
	}
}

// quickOfGate are the questions about every page that the gate answers.
func quickOfGate(g *gate) map[string]rpc.Quick {
	return map[string]rpc.Quick{
		"check": func(_ context.Context, argument []byte, answer *row.Encoder) error {
			q, err := decodeGateQuestion(argument)
			if err != nil {
				return err
			}
			a, err := g.answer(&q)
			a.encode(answer)
			return err
		},
		"bytes": func(_ context.Context, argument []byte, answer *row.Encoder) error {
			d, err := rpc.NewDecoder(argument)
			if err != nil {
				return err
			}
			var digest dedup.Digest
			if copy(digest[:], d.Bytes(len(digest))); d.Err != nil {
				return d.Err
			}
			v, err := g.CheckBytes(digest)
			letter.EncodeVerdict(answer, v)
			return err
		},
		"speaks": func(_ context.Context, argument []byte, answer *row.Encoder) error {
			of, err := rpc.DecodeNumber(argument)
			if err != nil {
				return err
			}
			ok, err := g.speaksFor(dedup.Ref(of))
			answer.Bool(ok)
			return err
		},
		"forget": func(_ context.Context, argument []byte, _ *row.Encoder) error {
			d, err := rpc.NewDecoder(argument)
			if err != nil {
				return err
			}
			var hosts []weburl.HostKey
			for n := d.Count(); n > 0 && d.Err == nil; n-- {
				var h weburl.HostKey
				copy(h[:], d.Bytes(len(h)))
				hosts = append(hosts, h)
			}
			if d.Err == nil {
				g.forgetTexts(hosts)
			}
			return d.Err
		},
		"near": func(_ context.Context, argument []byte, answer *row.Encoder) error {
			q, err := decodeGateQuestion(argument)
			if err != nil {
				return err
			}
			found, err := g.neighbours(q.sig, q.text, q.near)
			answer.Uint(uint64(len(found)))
			for _, n := range found {
				letter.EncodeVerdict(answer, n.Verdict)
				answer.Text(string(n.Apart))
			}
			return err
		},
	}
}

// A remoteGate is the gate of a job in another process. If that process does not answer,
// CheckBytes, Check and look find no copy, and the claim of the page waits for the gate; speaksFor
// and neighbours return an error.
type remoteGate struct {
	rpc.Asker

	mu      sync.Mutex
	changed []weburl.HostKey // hosts whose texts the gate is to read again
}

func asNew(v dedup.Verdict, err error) (dedup.Verdict, error) {
	if rpc.IsAway(err) {
		return dedup.Verdict{}, nil
	}
	return v, err
}

func (r *remoteGate) CheckBytes(digest dedup.Digest) (dedup.Verdict, error) {
	if digest.IsZero() {
		return dedup.Verdict{}, nil
	}
	e := rpc.NewEncoder(1 + len(digest))
	e.Bytes(digest[:])
	d, err := rpc.AskQuick(r.Asker, "bytes", e.B)
	if err != nil {
		return asNew(dedup.Verdict{}, err)
	}
	v := letter.DecodeVerdict(d)
	return v, rpc.ReadAnswer(r.Asker, "bytes", d)
}

// Check asks with the text's stub, and again with the text if the gate needs it.
func (r *remoteGate) Check(sig dedup.Signature, text *dedup.Text) (dedup.Verdict, error) {
	r.tellChanged()
	q := gateQuestion{sig: sig, text: text, stub: text != nil}
	for {
		d, err := rpc.AskQuick(r.Asker, "check", q.encode())
		if err != nil {
			return asNew(dedup.Verdict{}, err)
		}
		a := decodeGateAnswer(d)
		if err := rpc.ReadAnswer(r.Asker, "check", d); err != nil {
			return dedup.Verdict{}, err
		}
		if !a.needed {
			return a.verdict, nil
		}
		if !q.stub {
			return dedup.Verdict{}, fmt.Errorf("%s asks for a text that it has", r.Subject)
		}
		q.stub = false
	}
}

// look is Check: the gate keeps the text of every page that may be claimed.
func (r *remoteGate) look(sig dedup.Signature, text *dedup.Text) (dedup.Verdict, error) {
	return r.Check(sig, text)
}

func (r *remoteGate) speaksFor(of dedup.Ref) (bool, error) {
	d, err := rpc.AskQuick(r.Asker, "speaks", rpc.EncodeNumber(uint64(of)))
	if err != nil {
		return false, err
	}
	ok := d.Bool()
	return ok, rpc.ReadAnswer(r.Asker, "speaks", d)
}

// forgetTexts notes the hosts. The next question tells the gate, before it gets any text that was
// read with the new template.
func (r *remoteGate) forgetTexts(hosts []weburl.HostKey) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, h := range hosts {
		if !slices.Contains(r.changed, h) {
			r.changed = append(r.changed, h)
		}
	}
}

// tellChanged tells the gate of which hosts it has to read the texts again.
func (r *remoteGate) tellChanged() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.changed) == 0 {
		return
	}
	e := rpc.NewEncoder(8 + len(weburl.HostKey{})*len(r.changed))
	e.Uint(uint64(len(r.changed)))
	for _, h := range r.changed {
		e.Bytes(h[:])
	}
	if _, err := rpc.AskQuick(r.Asker, "forget", e.B); err == nil {
		r.changed = nil
	}
}

func (r *remoteGate) neighbours(sig dedup.Signature, text *dedup.Text, want gatecrawl.NearQuery) (found []dedup.Neighbour, err error) {
	q := gateQuestion{sig: sig, text: text, near: want}
	d, err := rpc.AskQuick(r.Asker, "near", q.encode())
	if err != nil {
		return nil, err
	}
	for n := d.Count(); n > 0 && d.Err == nil; n-- {
		found = append(found, dedup.Neighbour{Verdict: letter.DecodeVerdict(d), Apart: dedup.Rule(d.Text())})
	}
	return found, rpc.ReadAnswer(r.Asker, "near", d)
}

func (r *remoteGate) verify(ctx context.Context, fn func(gatecrawl.Breach) error) (int64, error) {
	n, err := askVerify(ctx, r.Asker, fn)
	return n.Breaches, err
}

func (r *remoteGate) pages() (map[uint64]dedup.Signature, error) {
	known := make(map[uint64]dedup.Signature)
	return known, rpc.AskEach(context.Background(), r.Asker, "kept", struct{}{}, func(f keptForm) error {
		known[f.Seq] = dedup.Signature(f.Sign)
		return nil
	})
}
