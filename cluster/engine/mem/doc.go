// Package mem is an engine in memory, for tests and simulations of many nodes in one process.
//
// A Net is the engine, and each Node a connection to it. A message of a Node takes a random time,
// may be lost, and may arrive twice. A Node can be cut off, stopped as a process is by SIGSTOP, and
// killed; and the engine can be without a leader for a while. In a bubble of testing/synctest the
// times are simulated. All random numbers follow from a seed: if no two events of a run come at the
// same moment, the run is the same each time.
//
// With the zero Options the engine has no faults.
package mem
