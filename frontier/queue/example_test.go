package queue_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"gatecrawl.example/gatecrawl/frontier"
	"gatecrawl.example/gatecrawl/frontier/queue"
	"gatecrawl.example/gatecrawl/frontier/seen"
	"gatecrawl.example/gatecrawl/frontier/weburl"
	"gatecrawl.example/gatecrawl/priority"
	"gatecrawl.example/gatecrawl/store/kv"
	"gatecrawl.example/gatecrawl/store/kv/mem"
)

// A URL is added, leased, and taken out of the queue when its visit is settled.
func Example() {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "queue")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	tables, err := mem.Open(queue.Tables())
	if err != nil {
		log.Fatal(err)
	}
	defer tables.Close()
	q := queue.New(queue.DefaultOptions(), priority.DefaultOptions(), nil)
	if err := q.Load(tables, 0, 0, true); err != nil {
		log.Fatal(err)
	}
	if err := q.OpenFilter(filepath.Join(dir, "seen"), seen.DefaultOptions()); err != nil {
		log.Fatal(err)
	}
	defer q.Close()
	update := func(change func(t *queue.Tx) error) {
		err := tables.Update(ctx, func(tx kv.Tx) error {
			t := q.Begin(tx, 0)
			tx.OnCommit(t.Committed)
			if err := change(t); err != nil {
				return err
			}
			_, err := t.Finish()
			return err
		})
		if err != nil {
			log.Fatal(err)
		}
	}

	u, err := weburl.Parse("https://example.org/")
	if err != nil {
		log.Fatal(err)
	}
	update(func(t *queue.Tx) error { return t.Add(q.Links([]frontier.Candidate{{URL: u}})) })
	l, err := q.Next(ctx, nil)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("leased:", l.URL)
	held, err := q.Hold(l, queue.Answer{})
	if err != nil {
		log.Fatal(err)
	}
	update(func(t *queue.Tx) error {
		rec, err := t.Take(held)
		if err != nil {
			return err
		}
		rec.State, rec.Page = queue.Done, 1
		t.Put(held.Key, rec)
		return nil
	})
	_, err = q.Next(ctx, nil)
	fmt.Println(err)
	// Output:
	// leased: https://example.org/
	// frontier is empty
}
