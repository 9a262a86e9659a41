package metadata

import (
	"testing"
	"time"
)

func TestADayOfThePersianCalendarIsFound(t *testing.T) {
	for _, c := range []struct{ lang, text, want string }{
		{"", "24 مهر 1391 - نسخه قابل چاپ", "2012-10-15"},
		{"fa", "شنبه ۵ اسفند ۱۳۸۵", "2007-02-24"},
		{"", "۱۱ دی ماه ۱۴۰۲", "2024-01-01"},
		{"", "۱۱ دي\u200cماه ۱۴۰۲", "2024-01-01"},
		{"", "۱۱ مهرماه ۱۳۹۹", "2020-10-02"},
		{"fa-AF", "۲ حوت ۱۳۹۸", "2020-02-21"},
		{"fa", "۱۳۹۱/۰۷/۲۴", "2012-10-15"},
		{"fa", "1391-07-24 10:20", "2012-10-15"},
		{"fa", "۲۴ اکتبر ۲۰۱۲", "2012-10-24"},
		{"ar", "٢٤ مايو ٢٠١٢", "2012-05-24"},

		// Leap years, and the ends of the year.
		{"", "30 اسفند 1399", "2021-03-20"},
		{"", "1 فروردین 1400", "2021-03-21"},
		{"", "29 اسفند 1402", "2024-03-19"},
		{"", "30 اسفند 1402", ""},
		{"", "31 مهر 1402", ""},
		{"", "31 شهریور 1402", "2023-09-22"},

		// Numbers alone may be of another calendar, and a year of ours has no month of theirs.
		{"ar", "1431/07/24", ""},
		{"", "24 7 1391", ""},
		{"", "24 مهر 2012", ""},
		{"", "24 May 1391", ""},
		{"", "مهر ۱۳۹۱", ""},
	} {
		if got, _ := findDay([]byte(c.text), c.lang); got != c.want {
			t.Errorf("findDay(%q, %q) = %q, want %q", c.text, c.lang, got, c.want)
		}
	}
}

// TestThePersianCalendarHasADayForEach counts its days one by one.
func TestThePersianCalendarHasADayForEach(t *testing.T) {
	day := time.Date(1990, time.March, 21, 0, 0, 0, 0, time.UTC) // 1 Farvardin 1369
	for year := 1369; year < 1478; year++ {
		days := 0
		for month := range 12 {
			for date := range 31 {
				got := persianDay(year, month+1, date+1)
				if got == "" {
					continue
				}
				if want := day.Format(time.DateOnly); got != want {
					t.Fatalf("persianDay(%d, %d, %d) = %s, want %s", year, month+1, date+1, got, want)
				}
				day = day.AddDate(0, 0, 1)
				days++
			}
		}
		if days != 365 && days != 366 {
			t.Errorf("the year %d has %d days", year, days)
		}
	}
}
