// Package configs holds the settings of a crawl in one struct.
//
// A setting has one name everywhere: a key of the YAML file, a flag of the command, a line of
// config show. Settings come in layers: the defaults of every package's Options, then the settings
// saved in a job, then a file, then flags; the later layer wins.
//
// The package promises that a file with an unknown key or a bad value is refused with the file's
// name and the line, that Validate reports every fault at once, and that Parse reads the same
// settings from what WriteYAML writes. It does not open jobs and does not read the environment.
package configs
