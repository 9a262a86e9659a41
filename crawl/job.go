package crawl

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"gatecrawl.example/gatecrawl"
	"gatecrawl.example/gatecrawl/cluster"
	"gatecrawl.example/gatecrawl/configs"
	"gatecrawl.example/gatecrawl/frontier/weburl"
	"gatecrawl.example/gatecrawl/store"
)

// A Job is what a crawl needs of its job, which is one store, or several in partitions.
type Job interface {
	gatecrawl.Store
	gatecrawl.Inspector
	io.Closer

	// The methods are those of store.Store.
	Roots() ([]weburl.URL, error)
	SaveSettings(text []byte) error
	Stopped(why string) error
	Ended() gatecrawl.Ended
	Requeue(context.Context, gatecrawl.Again) (gatecrawl.Requeued, error)
	RetryFailed(ctx context.Context, ahead bool) (int, error)
	FindParts(context.Context) (int, error)
	SetDelay(time.Duration)
	Park(ctx context.Context, host string, till time.Time) error
}

var (
	_ Job = (*store.Store)(nil)
	_ Job = (*cluster.Store)(nil)
)

// Exists reports whether dir holds a job.
func Exists(dir string) bool { return store.Exists(dir) || cluster.Exists(dir) }

// NoFolder returns an error if dir can't be a job's folder because it, or a parent, is a file or a
// symbolic link to what does not exist.
func NoFolder(dir string) error {
	for path := filepath.Clean(dir); ; path = filepath.Dir(path) {
		info, err := os.Stat(path)
		switch {
		case err == nil && info.IsDir(), err != nil && path == filepath.Dir(path):
			return nil
		case err != nil:
			if to, err := os.Readlink(path); err == nil {
				return fmt.Errorf("%s is a symbolic link to %s, which does not exist: create that folder, or give another name by --job", path, to)
			}
			continue // it does not exist, so check its parent
		case Exists(filepath.Dir(path)):
			return fmt.Errorf("%s is a file of a job: want the job's folder, --job %s", path, filepath.Dir(path))
		}
		return fmt.Errorf("%s is a file, and a job is a folder: want another name by --job", path)
	}
}

// OpenJob opens the job in dir, or starts one if there is none: in partitions if it has some, or
// the settings ask for them. The options were made of these settings.
func OpenJob(dir string, s configs.Settings, o store.Options) (Job, error) {
	switch {
	case cluster.Exists(dir):
		return orNil(cluster.Open(dir, cluster.Options{Store: o, Partitions: s.Partitions}))
	case s.Partitions == 0 || o.ReadOnly:
		return orNil(store.Open(dir, o))
	case store.Exists(dir):
		return nil, &SettingError{"partitions", fmt.Errorf("%s was started without, and cannot be cut: leave the setting out, or start a new job in another folder", dir)}
	}
	return orNil(cluster.Open(dir, cluster.Options{Store: o, Partitions: s.Partitions, Folders: s.PartitionDirs}))
}

// orNil returns a nil Job for a nil pointer.
func orNil[T Job](j T, err error) (Job, error) {
	if err != nil {
		return nil, err
	}
	return j, nil
}

// savedSettings returns the settings that were saved in a job that no process has open.
func savedSettings(dir string) (text []byte, started bool, err error) {
	if cluster.Exists(dir) {
		folders, err := cluster.Folders(dir)
		if err != nil {
			return nil, false, err
		}
		if dir = folders[0]; !store.Exists(dir) {
			return nil, false, nil // the process was killed while it started the job
		}
	}
	return store.SavedSettings(dir)
}
