package mail_test

import (
	"context"
	"fmt"
	"log"

	"gatecrawl.example/gatecrawl/store/kv"
	"gatecrawl.example/gatecrawl/store/kv/mem"
	"gatecrawl.example/gatecrawl/store/mail"
)

// Store 1 posts a message to store 2. It is passed on twice and applied once.
func Example() {
	ctx := context.Background()
	open := func() (kv.Store, *mail.Box) {
		s, err := mem.Open(mail.Tables())
		if err != nil {
			log.Fatal(err)
		}
		var box *mail.Box
		if err := s.View(ctx, func(r kv.Reader) (err error) { box, err = mail.Load(r); return err }); err != nil {
			log.Fatal(err)
		}
		return s, box
	}
	one, sender := open()
	defer one.Close()
	two, receiver := open()
	defer two.Close()

	if err := one.Update(ctx, func(tx kv.Tx) error { return sender.Post(tx, 2, []byte("hello")) }); err != nil {
		log.Fatal(err)
	}
	for range 2 {
		var ms []mail.Message
		err := one.View(ctx, func(r kv.Reader) (err error) { ms, err = sender.Waiting(r, 2, 10); return err })
		if err != nil {
			log.Fatal(err)
		}
		err = two.Update(ctx, func(tx kv.Tx) error {
			through, err := receiver.Receive(tx, 1, ms, func(m mail.Message) error {
				fmt.Printf("message %d: %s\n", m.N, m.Body)
				return nil
			})
			fmt.Println("applied up to", through)
			return err
		})
		if err != nil {
			log.Fatal(err)
		}
	}
	// Output:
	// message 1: hello
	// applied up to 1
	// applied up to 1
}
