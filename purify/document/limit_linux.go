package document

import (
	"syscall"
	"time"
)

// limitMemory bounds the memory of the process: exceeding it ends the process, not the crawl.
func limitMemory() {
	const data = 2 // RLIMIT_DATA: private memory that can be written, as the kernel counts it since 4.7
	limit := syscall.Rlimit{Cur: readingMemory, Max: readingMemory}
	_ = syscall.Setrlimit(data, &limit) // if it cannot be set, GOMEMLIMIT and the time remain
}

// limitTime bounds the processor time of the process: it is killed after that.
func limitTime(t time.Duration) {
	seconds := uint64(t / time.Second)
	_ = syscall.Setrlimit(syscall.RLIMIT_CPU, &syscall.Rlimit{Cur: seconds, Max: seconds}) // if it cannot be set, waitingTime remains
}
