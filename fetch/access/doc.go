// Package access decides which headers, user names and passwords, tokens and cookies a request to a
// site carries.
//
// A Site is a host and port. What is granted for a site is sent only to that site: not to another
// host, not to the target of a redirect, and not for another site's robots.txt. It is sent only
// over TLS, unless the site is written with http:// or is on this machine. A cookie that a server
// sets is sent back to the same host and port, and only over TLS if it was received over TLS.
//
// No error text contains a secret.
package access
