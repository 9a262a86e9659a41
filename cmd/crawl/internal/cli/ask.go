package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"gatecrawl.example/gatecrawl"
	"gatecrawl.example/gatecrawl/configs"
	"gatecrawl.example/gatecrawl/control"
	"gatecrawl.example/gatecrawl/crawl"
	"gatecrawl.example/gatecrawl/dedup"
	"gatecrawl.example/gatecrawl/frontier/seeds"
	"gatecrawl.example/gatecrawl/store"
)

// DefaultJob is the folder of a job that no --job names.
const DefaultJob = "job"

// Ask puts a question to the crawl that works on a job, or answers it from the job's
// files. Close the answer.
func Ask(ctx context.Context, dir string, q control.Question) (io.ReadCloser, error) {
	if !crawl.Exists(dir) {
		return nil, NoJob(dir)
	}
	return Client(dir).Ask(ctx, q)
}

// NoJob returns the error that a folder has no job. It says how to start one, or what is left of a
// job there. A folder that this user may not read may have one.
func NoJob(dir string) error {
	if _, err := os.Stat(filepath.Join(dir, "crawl.db")); errors.Is(err, fs.ErrPermission) {
		return fmt.Errorf("job %s: %w", dir, err)
	}
	if err := crawl.NoFolder(dir); err != nil {
		return err
	}
	if err := LostJob(dir); err != nil {
		return err
	}
	return fmt.Errorf("no job at %s: start one with crawl run --job %s -u URL", dir, Quoted(dir))
}

// LostJob returns an error that says what is left in the folder of a job whose crawl.db is lost;
// nil if the folder has no job, or a complete one.
func LostJob(dir string) error {
	if err := store.NoJob(dir); !crawl.Exists(dir) && errors.As(err, new(*store.TablesLostError)) {
		return err
	}
	return nil
}

// Client returns the client of a job, whether or not a crawl works on it.
func Client(dir string) *control.Client {
	return &control.Client{
		Dir:  dir,
		Read: func() (control.Job, error) { return OpenToTell(dir) },
		Write: func() (control.Job, error) {
			return OpenToWrite(dir)
		},
		Locked:    IsLocked,
		Suspended: func() int { return store.Suspended(dir) },
		Want:      func() (done func(), err error) { return Want(dir) },
	}
}

// Want says that this command waits for the job, until done is called: crawl serve then lets go of it.
func Want(dir string) (done func(), err error) { return store.Want(dir) }

// Wanted reports whether a command waits for the job.
func Wanted(dir string) bool { return store.Wanted(dir) }

// IsLocked reports whether an error says that another process has the job.
func IsLocked(err error) bool {
	var locked *store.LockedError
	return errors.As(err, &locked)
}

// OpenToRead opens a job for reading that no crawl works on. Its scores are explained with the
// weights that it was crawled with.
func OpenToRead(dir string) (crawl.Job, error) {
	s, err := crawl.SavedSettings(dir)
	if err != nil {
		s = configs.Default() // the data can be read even if the settings are damaged
	}
	return openToRead(dir, s)
}

// OpenToLookUp is OpenToRead for questions about URLs, whose answers do not depend on the settings.
func OpenToLookUp(dir string) (crawl.Job, error) { return openToRead(dir, configs.Default()) }

func openToRead(dir string, s configs.Settings) (crawl.Job, error) {
	o := s.StoreOptions()
	o.ReadOnly = true
	return crawl.OpenJob(dir, s, o)
}

// A topicJob is a job whose status includes the topic.
type topicJob struct {
	crawl.Job
	dir string
}

// Status implements gatecrawl.Inspector.
func (t topicJob) Status(ctx context.Context) (gatecrawl.Status, error) {
	s, err := t.Job.Status(ctx)
	if s.Harvest != nil {
		s.Topic, _ = crawl.TopicOf(t.dir, s.Harvest) // if the topic can't be read, the counts are still useful
	}
	return s, err
}

// OpenToTell is OpenToRead for questions about the whole job.
func OpenToTell(dir string) (control.Job, error) {
	j, err := OpenToRead(dir)
	if err != nil {
		return nil, err
	}
	return topicJob{j, dir}, nil
}

// OpenWhole is OpenToRead for operations that are not possible for a job in partitions.
func OpenWhole(dir, what string) (*store.Store, error) {
	j, err := OpenToRead(dir)
	if err != nil {
		return nil, err
	}
	if s, ok := j.(*store.Store); ok {
		return s, nil
	}
	return nil, errors.Join(fmt.Errorf("job %s is in partitions, and %s does not go with those", dir, what), j.Close())
}

// OpenToWrite opens a job that no crawl works on, and creates one if it does not exist.
func OpenToWrite(dir string) (crawl.Job, error) {
	s, err := SettingsOf(dir, "")
	if err != nil {
		return nil, err
	}
	idf, err := OpenIDF(s.IDF)
	if err != nil {
		return nil, err
	}
	o := s.StoreOptions()
	o.IDF = idf.Version()
	return crawl.OpenJob(dir, s, o)
}

// An Asker is a command that puts one question and shows the answer.
type Asker struct {
	Dir     string  // folder of the job, or its name in Cluster
	Cluster Cluster // if it is not given, the job is in Dir
	AsJSON  bool
}

// ClusterFlags adds the flags of a cluster to cmd, in addition to those of Flags.
func (a *Asker) ClusterFlags(cmd *cobra.Command) { a.Cluster.Flags(cmd) }

// Ask puts a question to the nodes of the cluster, or as the function Ask does.
func (a *Asker) Ask(ctx context.Context, q control.Question) (io.ReadCloser, error) {
	if a.Cluster.Given() {
		return a.Cluster.ask(ctx, a.Dir, q)
	}
	return Ask(ctx, a.Dir, q)
}

// Settings returns the settings that the job was crawled with.
func (a *Asker) Settings(ctx context.Context) (configs.Settings, error) {
	if a.Cluster.Given() {
		return a.Cluster.Settings(ctx, a.Dir)
	}
	return crawl.SavedSettings(a.Dir)
}

// Flags adds --job and --json to cmd.
func (a *Asker) Flags(cmd *cobra.Command) {
	cmd.Flags().StringVar(&a.Dir, "job", DefaultJob, "the job's folder `DIR`")
	cmd.Flags().BoolVar(&a.AsJSON, "json", false, "print JSON, one object a line")
}

// Each asks, and calls show with each line of the answer, or prints the lines with --json.
func Each[T any](a *Asker, cmd *cobra.Command, q control.Question, show func(T) error) error {
	_, err := Some(a, cmd, q, show)
	return err
}

// List is Each for a listing. If it is empty, List prints none on stderr.
func List[T any](a *Asker, cmd *cobra.Command, q control.Question, none string, show func(T) error) error {
	found, err := Some(a, cmd, q, show)
	if err == nil && !found {
		fmt.Fprintln(cmd.ErrOrStderr(), none)
	}
	return err
}

// Some is Each, and reports whether there was any line.
func Some[T any](a *Asker, cmd *cobra.Command, q control.Question, show func(T) error) (found bool, err error) {
	r, err := a.Ask(cmd.Context(), q)
	if err != nil {
		return false, err
	}
	defer r.Close() // closing a job opened for reading can't lose anything
	if a.AsJSON {
		return control.Copy(cmd.OutOrStdout(), r)
	}
	return control.Each(r, show)
}

// EachOf asks about one URL, written as a user writes it.
func EachOf[T any](a *Asker, cmd *cobra.Command, verb, text string, show func(T) error) error {
	u, err := seeds.Parse(text)
	if err != nil {
		return Usagef("%w", err)
	}
	return Each(a, cmd, control.Question{Verb: verb, URL: u.String()}, show)
}

// SettingsOf returns the settings to go on with a job. If they are damaged, it uses the file given
// by --config, applied to their copy if there is one.
func SettingsOf(dir, file string) (configs.Settings, error) {
	s, err := crawl.SettingsOf(dir)
	var damaged *crawl.DamagedSettingsError
	if file != "" && errors.As(err, &damaged) {
		return crawl.CopiedSettings(dir)
	}
	return s, err
}

// OpenIDF reads a table; nil for an empty name.
func OpenIDF(name string) (*dedup.IDF, error) {
	return configs.Settings{IDF: name}.LoadIDF()
}
