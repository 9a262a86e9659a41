package requisite

import (
	"context"
	"encoding/json"
	"fmt"

	"gatecrawl.example/gatecrawl/frontier/queue"
	"gatecrawl.example/gatecrawl/frontier/weburl"
	"gatecrawl.example/gatecrawl/store/kv"
)

// Check calls breach for each damaged file.
func (f *Files) Check(r kv.Reader, breach func(what string, err error) error) error {
	return kv.Each(r, TableRequisites, func(k, v []byte) error {
		if why := f.bad(r, k, v); why != nil {
			return breach("every file that pages need is as it was written", why)
		}
		return nil
	})
}

// bad returns what is wrong with a row; nil: nothing.
func (f *Files) bad(in kv.Reader, k, v []byte) error {
	var r file
	if err := json.Unmarshal(v, &r); err != nil || len(k) != len(weburl.Key{}) {
		return fmt.Errorf("key %x cannot be read (%v)", k, err)
	}
	rec, ok, err := queue.Get(in, weburl.Key(k))
	if waits := rec.Flags&queue.Renewal != 0; err != nil || !ok || rec.State != queue.Done && !waits || rec.URL != r.URL {
		return fmt.Errorf("%s is not a settled url (%v)", r.URL, err)
	}
	for _, place := range r.places() {
		if err := f.archive.Verify(place); err != nil {
			return fmt.Errorf("%s: %w", r.URL, err)
		}
	}
	return nil
}

// Repair removes damaged rows, and queues their URLs again; queueOf returns the queue of a
// transaction. All payloads are forgotten, since a damaged record may have had some of them; they
// are found again.
func (f *Files) Repair(ctx context.Context, tables kv.Store, queueOf func(kv.Tx) *queue.Tx, tell func(what, format string, args ...any) error) error {
	const what = "a file that pages need"
	lost := false
	bad := func(in kv.Reader, k, v []byte) (bool, error) { return f.bad(in, k, v) != nil, nil }
	err := kv.Rewrite(ctx, tables, TableRequisites, bad, func(tx kv.Tx, key, v []byte) error {
		lost = true
		tx.Delete(TableRequisites, key)
		var was file
		if err := json.Unmarshal(v, &was); err != nil || len(key) != len(weburl.Key{}) {
			return tell(what, "%x: altered, and taken away", key)
		}
		q := queueOf(tx)
		rec, err := q.Get(weburl.Key(key))
		if err != nil || rec == nil || rec.State != queue.Done {
			return err
		}
		rec.Attempt = 0
		q.Enqueue(weburl.Key(key), rec)
		return tell(what, "%s: altered or gone, and asked for again", was.URL)
	})
	if err != nil || !lost {
		return err
	}
	return kv.Forget(ctx, tables, tablePayloads, func(kv.Reader, []byte, []byte) (bool, error) { return true, nil })
}
