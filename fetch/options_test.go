package fetch

import (
	"strings"
	"testing"
	"time"
)

func TestDefaultsAreValid(t *testing.T) {
	if err := Defaults().Validate(); err != nil {
		t.Error(err)
	}
	if err := (Options{}).Validate(); err != nil {
		t.Error(err)
	}
}

func TestValidateReportsEveryFaultAtOnce(t *testing.T) {
	o := Options{
		Agent:          "nobody\n",
		Token:          "gate/crawl",
		MaxBody:        -1,
		MaxRobots:      1 << 30,
		MaxHeader:      1,
		Timeout:        -time.Second,
		ConnectTimeout: 25 * time.Hour,
		HeaderTimeout:  1,
		StallTimeout:   -1,
		MaxIdle:        -1,
		MaxIdlePerHost: -1,
	}
	err := o.Validate()
	if err == nil {
		t.Fatal("no error")
	}
	for _, words := range []string{
		"control character", `robots token "gate/crawl"`, "does not contain the robots token",
		"largest body is -1", "largest robots.txt is 1073741824", "largest response header is 1:",
		"timeout of a request is -1s", "timeout to connect is 25h", "timeout to the first byte is 1ns",
		"timeout of a silent body", "idle connections is -1", "idle connections per host is -1",
	} {
		if !strings.Contains(err.Error(), words) {
			t.Errorf("%q is missing in\n%v", words, err)
		}
	}
	if _, err := New(o); err == nil {
		t.Error("New accepts it")
	}
}

func TestAgent(t *testing.T) {
	for want, got := range map[string]string{
		"Mozilla/5.0 (compatible; gatecrawl)":                       Agent("", ""),
		"Mozilla/5.0 (compatible; gatecrawl/1.0)":                   Agent("", "1.0"),
		"Mozilla/5.0 (compatible; gatecrawl/1.0; +me@site.example)": Agent("me@site.example", "1.0"),
	} {
		if got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
