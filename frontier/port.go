package frontier

import (
	"fmt"
	"slices"
	"strconv"

	"gatecrawl.example/gatecrawl/frontier/weburl"
)

// badPorts are the ports of other protocols, for which an HTTP request may be a command:
// those of the Fetch standard (https://fetch.spec.whatwg.org/#port-blocking), which
// browsers block too, and two of databases that read commands line by line.
var badPorts = map[string]string{
	"0": "no service", "1": "tcpmux", "7": "echo", "9": "discard", "11": "systat", "13": "daytime", "15": "netstat", "17": "qotd", "19": "chargen",
	"20": "ftp-data", "21": "ftp", "22": "ssh", "23": "telnet", "25": "smtp", "37": "time", "42": "name", "43": "whois", "53": "dns", "69": "tftp",
	"77": "rje", "79": "finger", "87": "link", "95": "supdup", "101": "hostname", "102": "iso-tsap", "103": "gppitnp", "104": "acr-nema",
	"109": "pop2", "110": "pop3", "111": "sunrpc", "113": "auth", "115": "sftp", "117": "uucp-path", "119": "nntp", "123": "ntp",
	"135": "msrpc", "137": "netbios-ns", "139": "netbios-ssn", "143": "imap", "161": "snmp", "179": "bgp", "389": "ldap", "427": "svrloc",
	"465": "smtps", "512": "exec", "513": "login", "514": "shell", "515": "printer", "526": "tempo", "530": "courier", "531": "chat",
	"532": "netnews", "540": "uucp", "548": "afp", "554": "rtsp", "556": "remotefs", "563": "nntps", "587": "submission", "601": "syslog",
	"636": "ldaps", "989": "ftps-data", "990": "ftps", "993": "imaps", "995": "pop3s", "1719": "h323gatestat", "1720": "h323hostcall",
	"1723": "pptp", "2049": "nfs", "3659": "apple-sasl", "4045": "npp", "4190": "sieve", "5060": "sip", "5061": "sips", "6000": "x11",
	"6566": "sane", "6665": "irc", "6666": "irc", "6667": "irc", "6668": "irc", "6669": "irc", "6679": "osaut", "6697": "ircs", "10080": "amanda",

	"6379": "redis", "11211": "memcached",
}

// CheckPort refuses a URL with a port of another protocol, unless the port is allowed.
func CheckPort(u weburl.URL, allowed []string) Refusal {
	port := u.Port()
	service, bad := badPorts[port]
	if port == "" || !bad || slices.Contains(allowed, port) {
		return Refusal{}
	}
	return Refusal{"port", fmt.Sprintf("port %s is for %s, not for the web; to allow it: --allow-ports %s", port, service, port)}
}

// checkPorts returns what is wrong with a list of ports.
func checkPorts(ports []string) error {
	for _, p := range ports {
		if n, err := strconv.Atoi(p); err != nil || n < 0 || n > 65535 || strconv.Itoa(n) != p {
			return fmt.Errorf("allow-ports has %q: want a port number from 0 to 65535", p)
		}
	}
	return nil
}
