// Package access says what a request carries for which site: headers, user names and
// passwords, tokens and cookies.
//
// A Site is a host and port. What is given for one goes to it alone: not to another host, not
// to the target of a redirect, and not to another site's robots.txt. Without http:// before
// its name it goes over TLS only, unless the site is on this machine. A cookie that a server
// sets goes back to that host and port, and over TLS if it came by that.
//
// No secret is in the text of an error.
package access
