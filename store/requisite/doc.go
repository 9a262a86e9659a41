// Package requisite stores the files that are needed to show pages: style sheets, pictures, scripts
// and fonts. It has the row of each file, what each page needs, and where bytes were found first;
// how many files a page may have; which of them a re-crawl fetches again; and the check and repair
// of its rows. The bytes are in the archive of the job.
package requisite
