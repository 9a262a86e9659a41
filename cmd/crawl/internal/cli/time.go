package cli

import (
	"time"

	"github.com/spf13/pflag"

	"gatecrawl.example/gatecrawl/configs"
)

// TimeVar adds a flag with a duration as in settings: 90s, 1m30s, or a number of seconds.
func TimeVar(fs *pflag.FlagSet, p *time.Duration, name string, value time.Duration, usage string) {
	*p = value
	fs.Var((*timeValue)(p), name, usage)
}

type timeValue time.Duration

func (t *timeValue) String() string { return time.Duration(*t).String() }
func (t *timeValue) Type() string   { return "duration" }

func (t *timeValue) Set(text string) error { return (*configs.Duration)(t).UnmarshalText([]byte(text)) }
