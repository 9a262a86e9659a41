package crawl

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"gatecrawl.example/gatecrawl"
	"gatecrawl.example/gatecrawl/frontier/weburl"
)

// A SettingError says that something that a setting names cannot be used: a file that does
// not exist, a seed that is not a URL, a browser that is not installed.
type SettingError struct {
	Setting string // its key in a file of settings; "": Err names it
	Err     error
}

func (e *SettingError) Error() string {
	if e.Setting == "" {
		return e.Err.Error()
	}
	return e.Setting + ": " + e.Err.Error()
}

func (e *SettingError) Unwrap() error { return e.Err }

// A ContactError says that a crawl would send requests to other machines without a contact
// for the owners of sites.
type ContactError struct {
	URL weburl.URL // not on this machine
	Was string     // the contact in earlier runs of the job; "": none
}

func (e *ContactError) Error() string {
	s := fmt.Sprintf("%s is not on this machine: set contact to a web page or mail address where its owner can reach you, "+
		"such as you@example.org; it goes into the User-Agent", e.URL)
	if e.Was != "" {
		s += "; so far this crawl has named " + e.Was
	}
	return s
}

// A NoSeedsError says that a job has nothing to start with.
type NoSeedsError struct {
	Lists []string // files that were read and contain no URL
}

func (e *NoSeedsError) Error() string {
	if len(e.Lists) > 0 {
		names := slices.Clone(e.Lists)
		for i, name := range names {
			if name == "-" {
				names[i] = "standard input"
			}
		}
		return fmt.Sprintf("no seeds: there is no URL in %s; a list has one URL a line", strings.Join(names, ", "))
	}
	return "no seeds: set url to the URLs to start from, or seeds to files that list them"
}

// A ShortListError says that lists of seeds could not be read to their ends: they are cut
// short, damaged, or no lists. The URLs that could be read are queued. A run that says so has
// fetched nothing, and the settings of its job no longer name any list: the next run fetches
// what is queued, and the whole list can be given to it.
type ShortListError struct{ Err error } // of each list, a *seeds.ListError

func (e *ShortListError) Error() string {
	return e.Err.Error() + "; the URLs that could be read are in the job"
}

func (e *ShortListError) Unwrap() error { return e.Err }

// A ProxyError says that the proxy does not answer, at the start or later, or refuses the login,
// and which setting helps. The pages that could not be fetched are still queued.
type ProxyError struct{ gatecrawl.ProxyError }

func (e *ProxyError) Error() string {
	if e.Login {
		return e.Err.Error() + "; set proxy to its URL with user:password@ in front of its host"
	}
	return e.Err.Error() + "; start it, or set proxy to another one or to none"
}

var (
	errRan    = errors.New("this crawl has run: close it and open the job again to go on")
	errClosed = errors.New("this crawl is closed: open the job again")
)

// needContact returns an error for a URL off this machine if no contact is given.
func needContact(contact string, u weburl.URL) error {
	if contact != "" || u.Loopback() {
		return nil
	}
	return &ContactError{URL: u}
}
