// Package lanes has what designs of an index by halves of fingerprints share: the mixing of 32-bit
// keys, lists of fingerprints to be added to tables (Bulk), bit-packed arrays, and cache lines of
// sixteen lanes of 32 bits, which MatchLines compares at once.
package lanes
