package weburl

import "testing"

func FuzzPlainHostsAreTheSameByTheLongWay(f *testing.F) {
	for _, host := range []string{"example.com", "EXAMPLE.com", "a_b.-c-", "1.2.3.4", "163.com", "a.4b", "0x7f", "a..b", "a.", "xn--a", "a b", "é"} {
		f.Add(host)
	}
	f.Fuzz(func(t *testing.T, host string) {
		plain, ok := appendPlainHost(nil, host)
		if !ok {
			return
		}
		odd, err := otherHost(host)
		if string(plain) != odd || err != nil {
			t.Errorf("appendPlainHost(%q) = %q, oddHost gives %q, %v", host, plain, odd, err)
		}
	})
}
