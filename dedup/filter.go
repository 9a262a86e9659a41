package dedup

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"os"
	"slices"
	"sync"
	"unsafe"

	"github.com/bits-and-blooms/bloom/v3"
)

// FilterOptions are the settings of a Filter. They are part of its file: a file
// of other settings is not intact.
type FilterOptions struct {
	// Capacity is the number of keys for which the first generation is made, 1
	// to 1<<32. Default 1,000,000, about 2 MB. Too small a number costs a few
	// more generations to ask.
	Capacity uint64

	// Rate is the share of unseen keys that the whole filter takes for seen,
	// above 0 and below 1. Default 0.001. Each costs one exact look-up; a tenth
	// of the rate takes 5 bits a key more.
	Rate float64
}

// DefaultFilterOptions returns the defaults that FilterOptions names.
func DefaultFilterOptions() FilterOptions {
	return FilterOptions{Capacity: 1_000_000, Rate: 0.001}
}

// Validate reports every fault at once.
func (o FilterOptions) Validate() error {
	var faults []error
	if o.Capacity < 1 || o.Capacity > 1<<32 {
		faults = append(faults, fmt.Errorf("filter capacity: want 1 to %d keys, got %d", uint64(1)<<32, o.Capacity))
	}
	if !(o.Rate > 0 && o.Rate < 1) {
		faults = append(faults, fmt.Errorf("filter rate: want a share above 0 and below 1, got %v", o.Rate))
	}
	return errors.Join(faults...)
}

// A Filter answers "certainly not seen" for keys: Has is false only for a key
// that was never added. It is a Bloom filter in a mapped file that grows by
// generations, each four times as large as the one before and with half its
// false-positive rate (Almeida, Baquero, Preguiça and Hutchison 2007). All
// methods may be called from many goroutines.
//
// An exact table stands behind a filter. Add a key before the transaction that
// makes it true is committed: a bit too many costs a look-up, a bit too few a
// page fetched twice.
//
// The bits of a killed process live on in the page cache, those of a machine
// that lost power may not. So the file says whether it was closed and, if not,
// under which boot of the machine it was open. OpenFilter calls it intact in
// the first case and within the same boot. Otherwise the filter is empty: add
// every key of the exact table, then call Sync. Until then a crash leaves a
// file that is not intact.
type Filter struct {
	admin sync.Mutex // held by Sync, Reset and Close, which may take long; before mu
	file  *os.File
	reads bool   // it was opened by ReadFilter
	whole []byte // then, the mapped file

	mu          sync.RWMutex
	head        header
	generations []generation
	closed      bool
	full        error // why there is no further generation, if one was wanted
	retryAt     uint64
}

// A generation is one Bloom filter over a part of the file.
type generation struct {
	bits     []byte
	bloom    *bloom.BloomFilter
	capacity uint64
}

// OpenFilter opens the filter in a file, or makes one, and reports whether it
// is intact. A file that is no filter, or one of other options, is emptied; an
// error is one of the file system.
func OpenFilter(path string, o FilterOptions) (f *Filter, intact bool, err error) {
	return openFilter(path, o, bootID())
}

func openFilter(path string, o FilterOptions, boot [16]byte) (f *Filter, intact bool, err error) {
	if err := o.Validate(); err != nil {
		return nil, false, err
	}
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return nil, false, fmt.Errorf("filter: %w", err)
	}
	f = &Filter{file: file}
	intact, err = f.open(o, boot)
	if err != nil {
		return nil, false, errors.Join(fmt.Errorf("filter %s: %w", path, err), f.release())
	}
	return f, intact, nil
}

// ReadFilter opens a filter for Has alone, whatever its options, and reports
// whether it is intact. Then it has every key of the exact table; otherwise, and
// where there is no file, it says yes to all. Nothing is written.
func ReadFilter(path string) (f *Filter, intact bool, err error) {
	none := &Filter{closed: true, reads: true}
	file, err := os.Open(path)
	if errors.Is(err, os.ErrNotExist) {
		return none, false, nil
	}
	if err != nil {
		return nil, false, fmt.Errorf("filter: %w", err)
	}
	f = &Filter{file: file, reads: true}
	intact, err = f.read()
	if err != nil {
		return nil, false, errors.Join(fmt.Errorf("filter %s: %w", path, err), f.release())
	}
	if !intact {
		return none, false, f.release()
	}
	return f, true, nil
}

func (f *Filter) read() (intact bool, err error) {
	info, err := f.file.Stat()
	if err != nil || info.Size() < headerBytes {
		return false, err
	}
	b, err := mapToRead(f.file, int(info.Size()))
	if err != nil {
		return false, err
	}
	f.whole, f.head = b, header(b[:headerBytes])
	o := FilterOptions{Capacity: native.Uint64(f.head[32:]), Rate: math.Float64frombits(native.Uint64(f.head[40:]))}
	if o.Validate() != nil || !f.head.fits(o) || !f.head.survived(bootID()) {
		return false, nil
	}
	at := int64(headerBytes)
	for i := range f.head.generations() {
		s := f.head.shape(i)
		if s.bytes() <= 0 || s.bytes() > info.Size()-at {
			return false, nil
		}
		part := b[at:][:s.bytes()]
		f.generations = append(f.generations, generation{part, bloom.FromWithM(wordsOf(part), s.m, s.k), s.capacity})
		at += s.bytes()
	}
	return len(f.generations) > 0, nil
}

func (f *Filter) open(o FilterOptions, boot [16]byte) (intact bool, err error) {
	info, err := f.file.Stat()
	if err != nil {
		return false, err
	}
	if info.Size() < headerBytes {
		if err := extend(f.file, 0, headerBytes); err != nil {
			return false, err
		}
	}
	f.head, err = mapFile(f.file, 0, headerBytes)
	if err != nil {
		return false, err
	}
	if mapped && f.head.fits(o) && f.head.survived(boot) {
		intact, err = f.load(info.Size())
		if err != nil {
			return false, err
		}
	}
	if !intact {
		f.head.write(o, boot)
		return false, f.clear()
	}
	// On disk before the first bit: else a loss of power could leave the file
	// closed in word and short of bits in fact.
	f.head.setBoot(boot)
	f.head.setState(stateOpen)
	return true, syncMapping(f.head)
}

// load maps the generations that the header names, and reports whether the
// file has them all.
func (f *Filter) load(size int64) (bool, error) {
	at := int64(headerBytes)
	for i := range f.head.generations() {
		if at+f.head.shape(i).bytes() > size {
			return false, f.unload()
		}
		g, err := f.mapGeneration(i, at)
		if err != nil {
			return false, err
		}
		f.generations = append(f.generations, g)
		at += int64(len(g.bits))
	}
	return len(f.generations) > 0, nil
}

func (f *Filter) mapGeneration(i int, at int64) (generation, error) {
	s := f.head.shape(i)
	b, err := mapFile(f.file, at, int(s.bytes()))
	if err != nil {
		return generation{}, err
	}
	// A mapping begins at a page, and a page at a multiple of eight.
	words := unsafe.Slice((*uint64)(unsafe.Pointer(unsafe.SliceData(b))), len(b)/8)
	return generation{b, bloom.FromWithM(words, s.m, s.k), s.capacity}, nil
}

// clear leaves one empty generation.
func (f *Filter) clear() error {
	f.head.setState(stateFilling)
	f.head.setGenerations(0)
	if err := syncMapping(f.head); err != nil {
		return err
	}
	if err := f.unload(); err != nil {
		return err
	}
	if err := f.file.Truncate(headerBytes); err != nil {
		return err
	}
	f.full, f.retryAt = nil, 0
	return f.grow()
}

// grow begins the next generation.
func (f *Filter) grow() error {
	i := len(f.generations)
	if i == maxGenerations {
		return fmt.Errorf("filter has %d generations", maxGenerations)
	}
	at := int64(headerBytes)
	for _, g := range f.generations {
		at += int64(len(g.bits))
	}
	if err := extend(f.file, at, f.head.shape(i).bytes()); err != nil {
		return errors.Join(err, f.file.Truncate(at))
	}
	g, err := f.mapGeneration(i, at)
	if err != nil {
		return err
	}
	f.generations = append(f.generations, g)
	f.head.setCount(i, 0)
	f.head.setGenerations(i + 1)
	return nil
}

// extend writes zeros, which a truncate would only promise: a mapped page for
// which the disk has no room ends the process.
func extend(file *os.File, at, size int64) error {
	zeros := make([]byte, min(size, 1<<20))
	for end := at + size; at < end; {
		n, err := file.WriteAt(zeros[:min(end-at, int64(len(zeros)))], at)
		if err != nil {
			return err
		}
		at += int64(n)
	}
	return nil
}

func (f *Filter) unload() error {
	var faults []error
	for _, g := range f.generations {
		faults = append(faults, unmap(g.bits))
	}
	f.generations = nil
	return errors.Join(faults...)
}

// Has reports whether key may have been added. A closed filter says yes.
func (f *Filter) Has(key [16]byte) bool {
	f.mu.RLock()
	defer f.mu.RUnlock()
	return f.closed || f.has(key[:])
}

func (f *Filter) has(key []byte) bool {
	for _, g := range slices.Backward(f.generations) { // the last one is the largest
		if g.bloom.Test(key) {
			return true
		}
	}
	return false
}

// Add makes Has true for key for ever. It does not fail: where the disk has no
// room for a further generation, the last one takes more than its capacity, the
// false-positive rate rises, and Sync says why.
func (f *Filter) Add(key [16]byte) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.closed || f.reads || f.has(key[:]) {
		return
	}
	last := len(f.generations) - 1
	n := f.head.count(last)
	if n >= max(f.generations[last].capacity, f.retryAt) {
		f.full = f.grow()
		if f.full == nil {
			last, n, f.retryAt = last+1, 0, 0
		} else {
			f.retryAt = n + n/8 + 1
		}
	}
	f.generations[last].bloom.Add(key[:])
	f.head.setCount(last, n+1)
}

// Len returns the number of keys added, less those that the filter took for
// seen.
func (f *Filter) Len() uint64 {
	f.mu.RLock()
	defer f.mu.RUnlock()
	var n uint64
	for i := range f.generations {
		n += f.head.count(i)
	}
	return n
}

// Reset empties the filter, for it to be filled anew.
func (f *Filter) Reset() error {
	f.admin.Lock()
	defer f.admin.Unlock()
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.closed {
		return os.ErrClosed
	}
	return f.clear()
}

// Sync writes the filter to the disk and says that it has every key: after an
// OpenFilter that was not intact, or a Reset, call it when all are added. Keys
// may be added meanwhile.
func (f *Filter) Sync() error {
	f.admin.Lock()
	defer f.admin.Unlock()
	f.mu.RLock()
	generations, closed := slices.Clone(f.generations), f.closed
	f.mu.RUnlock()
	if closed {
		return os.ErrClosed
	}
	if err := syncBits(generations); err != nil {
		return err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.head.setState(stateOpen)
	return errors.Join(syncMapping(f.head), f.full)
}

func syncBits(generations []generation) error {
	for _, g := range generations {
		if err := syncMapping(g.bits); err != nil {
			return err
		}
	}
	return nil
}

// Close writes the filter and closes its file. Closing again does nothing.
func (f *Filter) Close() error {
	f.admin.Lock()
	defer f.admin.Unlock()
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.closed {
		return nil
	}
	if f.reads {
		f.closed = true
		return f.release()
	}
	err := syncBits(f.generations)
	if err == nil && f.head.state() == stateOpen {
		f.head.setState(stateClosed)
		err = syncMapping(f.head)
	}
	f.closed = true
	return errors.Join(err, f.release())
}

func (f *Filter) release() error {
	if f.reads {
		err := f.file.Close()
		if f.whole != nil {
			err = errors.Join(err, unmap(f.whole))
		}
		f.whole, f.head, f.generations = nil, nil, nil
		return err
	}
	err := f.unload()
	if f.head != nil {
		err = errors.Join(err, unmap(f.head))
		f.head = nil
	}
	return errors.Join(err, f.file.Close())
}

// The header takes the file's first 64 KiB, a multiple of every page size, in
// the machine's byte order:
//
//	0   8  "gcfilter"
//	8   4  version
//	12  4  state
//	16  16 boot id of the machine when the file was last opened
//	32  8  FilterOptions.Capacity
//	40  8  FilterOptions.Rate, as IEEE 754 bits
//	48  4  generations
//	64  8  keys in each generation, 12 of them
//
// The generations follow, each padded to 64 KiB: the words of a bit set as
// bits-and-blooms/bloom v3 lays them out.
type header []byte

const (
	headerBytes    = 1 << 16
	filterVersion  = 1
	maxGenerations = 12
	growth         = 4
)

var filterMagic = []byte("gcfilter")

// The states of a filter's file.
const (
	stateFilling = 1 + iota // it lacks keys, and nobody knows which
	stateOpen               // it has every key as long as the machine runs
	stateClosed             // it has every key
)

var native = binary.NativeEndian

func (h header) write(o FilterOptions, boot [16]byte) {
	clear(h)
	copy(h, filterMagic)
	native.PutUint32(h[8:], filterVersion)
	h.setBoot(boot)
	native.PutUint64(h[32:], o.Capacity)
	native.PutUint64(h[40:], math.Float64bits(o.Rate))
}

// fits reports whether h is the header of a filter with options o.
func (h header) fits(o FilterOptions) bool {
	n := h.generations()
	return string(h[:8]) == string(filterMagic) &&
		native.Uint32(h[8:]) == filterVersion &&
		native.Uint64(h[32:]) == o.Capacity &&
		native.Uint64(h[40:]) == math.Float64bits(o.Rate) &&
		0 < n && n <= maxGenerations
}

// survived reports whether the file has every bit that was set in it. The zero
// boot id is that of a machine that does not tell.
func (h header) survived(boot [16]byte) bool {
	switch h.state() {
	case stateClosed:
		return true
	case stateOpen:
		return boot != [16]byte{} && boot == [16]byte(h[16:32])
	}
	return false
}

func (h header) state() uint32            { return native.Uint32(h[12:]) }
func (h header) setState(s uint32)        { native.PutUint32(h[12:], s) }
func (h header) setBoot(boot [16]byte)    { copy(h[16:32], boot[:]) }
func (h header) generations() int         { return int(native.Uint32(h[48:])) }
func (h header) setGenerations(n int)     { native.PutUint32(h[48:], uint32(n)) }
func (h header) count(i int) uint64       { return native.Uint64(h[64+8*i:]) }
func (h header) setCount(i int, n uint64) { native.PutUint64(h[64+8*i:], n) }

// A shape is the size of a generation.
type shape struct {
	capacity uint64 // keys
	m, k     uint   // bits, and bits a key
}

// shape returns the i-th generation's size. The rates halve from one to the
// next and so add up to Rate at most.
func (h header) shape(i int) shape {
	capacity := native.Uint64(h[32:])
	for range i {
		capacity *= growth
	}
	rate := math.Ldexp(math.Float64frombits(native.Uint64(h[40:])), -1-i)
	m, k := bloom.EstimateParameters(uint(capacity), rate)
	return shape{capacity, m, k}
}

// bytes returns the size in the file.
func (s shape) bytes() int64 {
	const unit = headerBytes
	return (int64(s.m/8) + unit) / unit * unit
}
