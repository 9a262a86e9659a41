package seen

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

	"gatecrawl.example/gatecrawl/mmap"
)

// Options are the settings of a Filter. They are stored in its file: a file with other
// settings is not intact.
type Options struct {
	// Capacity is the number of keys for which the first generation is made, 1
	// to 1<<32. Default 250,000, about .5 MB. A number that is too small costs look-ups
	// in a few more generations.
	Capacity uint64

	// Rate is the share of unseen keys for which the whole filter is wrong, above 0 and
	// below 1. Default 0.001. Each costs one exact look-up; a tenth of the rate takes 5
	// more bits a key.
	Rate float64
}

// DefaultOptions returns the defaults that Options names.
func DefaultOptions() Options {
	return Options{Capacity: 250_000, Rate: 0.001}
}

// Validate reports every fault at once.
func (o Options) Validate() error {
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
// The owner of a filter also has an exact table. Add a key before the transaction that
// stores it is committed: a bit too many costs a look-up, a missing bit a page fetched
// twice.
//
// The bits of a killed process survive in the page cache; after a power failure they may not.
// So the file says whether it was closed and, if not, under which boot of the machine it was
// open. Open reports it as intact in the first case and within the same boot. Otherwise the
// filter is empty: add every key of the exact table, then call Sync. Until then a crash leaves
// a file that is not intact.
type Filter struct {
	admin sync.Mutex // held by Sync, Reset and Close, which may take long; before mu
	file  *os.File
	reads bool   // it was opened by ReadFilter
	whole []byte // the mapped file, if reads is set

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

// Open opens the filter in a file, or makes one, and reports whether it is intact. A file
// that is not a filter or has other options is emptied; an error comes from the file
// system.
func Open(path string, o Options) (f *Filter, intact bool, err error) {
	return openFilter(path, o, mmap.BootID())
}

func openFilter(path string, o Options, boot [16]byte) (f *Filter, intact bool, err error) {
	if err := o.Validate(); err != nil {
		return nil, false, err
	}
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
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

// ReadFilter opens a filter only for Has, with the options of its file, and reports whether
// it is intact. If it is, it has every key of the exact table; otherwise, and without a
// file, Has is always true. Nothing is written.
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
	b, err := mmap.ReadOnly(f.file, int(info.Size()))
	if err != nil {
		return false, err
	}
	f.whole, f.head = b, header(b[:headerBytes])
	o := Options{Capacity: binary.NativeEndian.Uint64(f.head[32:]), Rate: math.Float64frombits(binary.NativeEndian.Uint64(f.head[40:]))}
	if o.Validate() != nil || !f.head.fits(o) || !f.head.survived(mmap.BootID()) {
		return false, nil
	}
	at := int64(headerBytes)
	for i := range f.head.generations() {
		s := f.head.shape(i)
		if s.bytes() <= 0 || s.bytes() > info.Size()-at {
			return false, nil
		}
		part := b[at:][:s.bytes()]
		f.generations = append(f.generations, generation{part, bloom.FromWithM(mmap.Words(part), s.m, s.k), s.capacity})
		at += s.bytes()
	}
	return len(f.generations) > 0, nil
}

func (f *Filter) open(o Options, boot [16]byte) (intact bool, err error) {
	info, err := f.file.Stat()
	if err != nil {
		return false, err
	}
	if info.Size() < headerBytes {
		if err := extend(f.file, 0, headerBytes); err != nil {
			return false, err
		}
	}
	f.head, err = mmap.File(f.file, 0, headerBytes)
	if err != nil {
		return false, err
	}
	if mmap.Shared && f.head.fits(o) && f.head.survived(boot) {
		intact, err = f.load(info.Size())
		if err != nil {
			return false, err
		}
	}
	if !intact {
		f.head.write(o, boot)
		return false, f.clear()
	}
	// This must be on disk before the first bit: otherwise a loss of power could leave a
	// file that says it is closed although bits are missing.
	f.head.setBoot(boot)
	f.head.setState(stateOpen)
	return true, mmap.Sync(f.head)
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
	b, err := mmap.File(f.file, at, int(s.bytes()))
	if err != nil {
		return generation{}, err
	}
	// A mapping starts at a page, and a page at a multiple of eight.
	words := unsafe.Slice((*uint64)(unsafe.Pointer(unsafe.SliceData(b))), len(b)/8)
	return generation{b, bloom.FromWithM(words, s.m, s.k), s.capacity}, nil
}

// clear leaves one empty generation.
func (f *Filter) clear() error {
	f.head.setState(stateFilling)
	f.head.setGenerations(0)
	if err := mmap.Sync(f.head); err != nil {
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

// grow starts the next generation.
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

// extend writes zeros. After a truncate the disk might be full when a mapped page is
// written, which would end the process.
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
		faults = append(faults, mmap.Unmap(g.bits))
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

// Add makes Has true for key. It does not fail: if the disk has no room for another
// generation, the last one takes more keys than its capacity, the false-positive rate
// rises, and Sync returns the reason.
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

// Len returns the number of keys added, without those that the filter already seemed to
// have.
func (f *Filter) Len() uint64 {
	f.mu.RLock()
	defer f.mu.RUnlock()
	var n uint64
	for i := range f.generations {
		n += f.head.count(i)
	}
	return n
}

// Reset empties the filter, so that it can be filled again.
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

// Sync writes the filter to the disk and marks it as having every key: after an Open that
// was not intact, or a Reset, call it when all keys are added. Keys may be added meanwhile.
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
	return errors.Join(mmap.Sync(f.head), f.full)
}

func syncBits(generations []generation) error {
	for _, g := range generations {
		if err := mmap.Sync(g.bits); err != nil {
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
		err = mmap.Sync(f.head)
	}
	f.closed = true
	return errors.Join(err, f.release())
}

func (f *Filter) release() error {
	if f.reads {
		err := f.file.Close()
		if f.whole != nil {
			err = errors.Join(err, mmap.Unmap(f.whole))
		}
		f.whole, f.head, f.generations = nil, nil, nil
		return err
	}
	err := f.unload()
	if f.head != nil {
		err = errors.Join(err, mmap.Unmap(f.head))
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
//	32  8  Options.Capacity
//	40  8  Options.Rate, as IEEE 754 bits
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
	stateFilling = 1 + iota // keys are missing, and it is not known which
	stateOpen               // it has every key while the machine runs
	stateClosed             // it has every key
)

func (h header) write(o Options, boot [16]byte) {
	clear(h)
	copy(h, filterMagic)
	binary.NativeEndian.PutUint32(h[8:], filterVersion)
	h.setBoot(boot)
	binary.NativeEndian.PutUint64(h[32:], o.Capacity)
	binary.NativeEndian.PutUint64(h[40:], math.Float64bits(o.Rate))
}

// fits reports whether h is the header of a filter with options o.
func (h header) fits(o Options) bool {
	n := h.generations()
	return string(h[:8]) == string(filterMagic) &&
		binary.NativeEndian.Uint32(h[8:]) == filterVersion &&
		binary.NativeEndian.Uint64(h[32:]) == o.Capacity &&
		binary.NativeEndian.Uint64(h[40:]) == math.Float64bits(o.Rate) &&
		0 < n && n <= maxGenerations
}

// survived reports whether the file has every bit that was set in it. The zero
// boot id means that the machine has none.
func (h header) survived(boot [16]byte) bool {
	switch h.state() {
	case stateClosed:
		return true
	case stateOpen:
		return boot != [16]byte{} && boot == [16]byte(h[16:32])
	}
	return false
}

func (h header) state() uint32            { return binary.NativeEndian.Uint32(h[12:]) }
func (h header) setState(s uint32)        { binary.NativeEndian.PutUint32(h[12:], s) }
func (h header) setBoot(boot [16]byte)    { copy(h[16:32], boot[:]) }
func (h header) generations() int         { return int(binary.NativeEndian.Uint32(h[48:])) }
func (h header) setGenerations(n int)     { binary.NativeEndian.PutUint32(h[48:], uint32(n)) }
func (h header) count(i int) uint64       { return binary.NativeEndian.Uint64(h[64+8*i:]) }
func (h header) setCount(i int, n uint64) { binary.NativeEndian.PutUint64(h[64+8*i:], n) }

// A shape is the size of a generation.
type shape struct {
	capacity uint64 // keys
	m, k     uint   // bits, and bits a key
}

// shape returns the i-th generation's size. Each rate is half of the one before, so
// that they add up to Rate at most.
func (h header) shape(i int) shape {
	capacity := binary.NativeEndian.Uint64(h[32:])
	for range i {
		capacity *= growth
	}
	rate := math.Ldexp(math.Float64frombits(binary.NativeEndian.Uint64(h[40:])), -1-i)
	m, k := bloom.EstimateParameters(uint(capacity), rate)
	return shape{capacity, m, k}
}

// bytes returns the size in the file.
func (s shape) bytes() int64 {
	const unit = headerBytes
	return (int64(s.m/8) + unit) / unit * unit
}
