// Package mem is an engine in memory, for tests and simulations of many nodes in one process.
//
// A Net is the engine, and each Node a connection to it. What a Node sends takes a time that
// is drawn, may be lost, and may come twice; a Node can be cut off, stopped as a process is by
// SIGSTOP, and killed; and the engine can be without a leader for a while. In a bubble of
// testing/synctest the times are simulated ones. All draws follow from a seed: a run whose
// events come at different moments is the same each time.
//
// With the zero Options it is an engine without faults.
package mem
