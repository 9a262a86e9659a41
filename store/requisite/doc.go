// Package requisite keeps the files that pages need to be seen: style sheets, pictures,
// scripts and fonts. It has the row of each file, what each page has asked for, and which
// bytes were met before; how many files a page may have; which of them a re-crawl asks for
// again; and the check and repair of its rows. The bytes are in the archive of the job.
package requisite
