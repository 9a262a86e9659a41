package purify

import (
	"fmt"
	"strings"
	"testing"
)

// Each post of a thread has a panel with who wrote it. Of that a body has the name and the day, not what all posts repeat.
func TestWhatAllPostsOfAThreadRepeatIsNoBody(t *testing.T) {
	names := [...]string{"anna", "old keeper", "Tilo", "swarmcatcher", "B. Imker", "Orchard"}
	said := []string{
		"My second hive has been humming louder than the first one since Tuesday, and I do not know why they would do that in April.",
		"They may be about to swarm. Look for queen cells at the lower edge of the frames, and take out what you find there.",
		"I looked this morning. There are three of them, and one is open already, so I am late by a day or two I suppose.",
		"Then set up an empty box next to it and wait for a warm noon. Ours went into the old box by themselves last year.",
		"It worked, the swarm hangs in the pear tree and looks calm. How long do I have until they leave for good?",
		"A few hours, sometimes a day. Shake them into the box this evening and close it before it gets dark.",
	}
	var posts strings.Builder
	for i, text := range said {
		fmt.Fprintf(&posts, `<tr><td class="row1" width="150"><span class="name"><b>%s</b></span><br><span class="postdetails">Joined: %d Mar 2004<br>Posts: %d<br>Location: Bergdorf</span></td>
<td class="row1"><table><tr><td><span class="postdetails">Posted: Thu Apr %d, 2005 8:1%d pm</span></td></tr><tr><td><span class="postbody">%s</span></td></tr></table></td></tr>
<tr><td class="row1"><span class="nav"><a href="#top">Back to top</a></span></td><td class="row1"><span class="gensmall">Profile only</span></td></tr>`, names[i], 3+i*2, 17*i+4, 7+i, i, text)
	}
	body := PurifyAt("http://bees.example/viewtopic.php?t=311", []byte(`<html><head><title>Bees :: View topic - Humming hive</title></head><body><table class="bodyline"><tr><td><a class="maintitle" href="viewtopic.php?t=311">Humming hive</a></td></tr></table>
<table class="forumline"><tr><th>Author</th><th>Message</th></tr>`+posts.String()+`</table><div align="center"><span class="copyright">Powered by phpBB</span></div></body></html>`), "text/html").Body
	for _, text := range said {
		if !strings.Contains(body, text) {
			t.Errorf("the body lacks %q:\n%s", text, body)
		}
	}
	for _, not := range []string{"Joined:", "Posts:", "Back to top", "Profile only"} {
		if n := strings.Count(body, not); n > 0 {
			t.Errorf("the body has %q %d times:\n%s", not, n, body)
		}
	}
}
