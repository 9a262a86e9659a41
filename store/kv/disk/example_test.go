package disk_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"gatecrawl.example/gatecrawl/store/kv"
	"gatecrawl.example/gatecrawl/store/kv/disk"
)

// What was committed is there when the file is opened again.
func ExampleOpen() {
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	names := &kv.Table{Name: "names"}
	for _, name := range []string{"Ada", "Grace"} {
		s, err := disk.Open(filepath.Join(dir, "example.db"), []*kv.Table{names}, disk.Options{})
		if err != nil {
			log.Fatal(err)
		}
		err = s.Update(context.Background(), func(tx kv.Tx) error {
			tx.Put(names, []byte(name), []byte("was here"))
			for e, err := range tx.Scan(names, nil, nil) {
				if err != nil {
					return err
				}
				fmt.Printf("%s %s\n", e.Key, e.Value)
			}
			return nil
		})
		if err != nil {
			log.Fatal(err)
		}
		if err := s.Close(); err != nil {
			log.Fatal(err)
		}
	}
	// Output:
	// Ada was here
	// Ada was here
	// Grace was here
}
