// Package lanes has what designs of an index of fingerprints by halves share: the mixing of
// 32-bit keys, lists of fingerprints on their way into segments (Bulk), bit-packed arrays,
// and cache lines of sixteen lanes of 32 bits, which MatchLines compares at once.
package lanes
