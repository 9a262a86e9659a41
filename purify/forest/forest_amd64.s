#include "textflag.h"

// COUNT doubles the index of each row's leaf, and adds 1 where the row's value is From or more.
#define COUNT(at, index) \
	MOVWLZX at(SI), AX            \
	IMULQ R8, AX                  \
	VPBROADCASTB at+2(SI), Y2     \
	VPMINUB (DI)(AX*1), Y2, Y3    \
	VPCMPEQB Y2, Y3, Y3           \
	VPADDB index, index, index    \
	VPSUBB Y3, index, index

// BYTES separates the bytes of 16 leaves: the low ones come first.
#define BYTES(at, to) \
	VMOVDQU at(DX), to            \
	VPSHUFB Y0, to, to            \
	VPERMQ $0xd8, to, to

// ADD looks up the leaves of 16 rows, whose indices are in both halves of index, and adds them to
// the sums low and high.
#define ADD(index, low, high) \
	VPSLLW $3, index, Y2          \
	VPSLLW $2, index, Y3          \
	VPSHUFB index, Y8, Y4         \
	VPSHUFB index, Y9, Y5         \
	VPSHUFB index, Y10, Y6        \
	VPSHUFB index, Y11, Y7        \
	VPBLENDVB Y2, Y5, Y4, Y4      \
	VPBLENDVB Y2, Y7, Y6, Y6      \
	VPBLENDVB Y3, Y6, Y4, Y4      \
	VEXTRACTI128 $1, Y4, X5       \
	VPUNPCKLBW X5, X4, X6         \
	VPUNPCKHBW X5, X4, X7         \
	VPMOVSXWD X6, Y6              \
	VPMOVSXWD X7, Y7              \
	VPADDD Y6, low, low           \
	VPADDD Y7, high, high

// The even bytes of each half, then the odd ones.
DATA evenOdd<>+0(SB)/8, $0x0e0c0a0806040200
DATA evenOdd<>+8(SB)/8, $0x0f0d0b0907050301
DATA evenOdd<>+16(SB)/8, $0x0e0c0a0806040200
DATA evenOdd<>+24(SB)/8, $0x0f0d0b0907050301
GLOBL evenOdd<>(SB), RODATA|NOPTR, $32

// func scoreLanesAVX2(data *uint8, stride int, splits *Split, leaves *int16, trees int, sums *int32)
//
// Thirty-two rows at a time. No instruction looks a row's leaf up among 64 numbers of two bytes, so
// the low bytes of the leaves are looked up, and the high ones, each among four times 16.
TEXT ·scoreLanesAVX2(SB), NOSPLIT, $0-48
	MOVQ data+0(FP), DI
	MOVQ stride+8(FP), R8
	MOVQ splits+16(FP), SI
	MOVQ leaves+24(FP), DX
	MOVQ trees+32(FP), CX
	MOVQ sums+40(FP), R9
	VMOVDQU (R9), Y12
	VMOVDQU 32(R9), Y13
	VMOVDQU 64(R9), Y14
	VMOVDQU 96(R9), Y15
	VMOVDQU evenOdd<>(SB), Y0
	TESTQ CX, CX
	JLE  added

next:
	VPXOR Y1, Y1, Y1
	COUNT(20, Y1)
	COUNT(16, Y1)
	COUNT(12, Y1)
	COUNT(8, Y1)
	COUNT(4, Y1)
	COUNT(0, Y1)
	BYTES(0, Y8)
	BYTES(32, Y9)
	BYTES(64, Y10)
	BYTES(96, Y11)
	VPERMQ $0x44, Y1, Y7
	VPERMQ $0xee, Y1, Y1
	ADD(Y7, Y12, Y13)
	ADD(Y1, Y14, Y15)
	ADDQ $24, SI
	ADDQ $128, DX
	DECQ CX
	JNZ  next

added:
	VMOVDQU Y12, (R9)
	VMOVDQU Y13, 32(R9)
	VMOVDQU Y14, 64(R9)
	VMOVDQU Y15, 96(R9)
	VZEROUPPER
	RET

// One question of a tree: the rows whose value is From or more get the bit of its
// level in the index of their leaf.
#define ASK(at, level, index) \
	MOVWLZX at(SI), AX                   \
	IMULQ R8, AX                         \
	VPBROADCASTB at+2(SI), Y2            \
	VPCMPUB $2, (DI)(AX*1), Y2, K1       \
	VPADDB level, index, K1, index

// func scoreLanesAVX512(data *uint8, stride int, splits *Split, leaves *int16, trees int, sums *int32)
//
// Thirty-two rows at a time: six comparisons make the index of a row's leaf, and
// one instruction looks it up among the 64 of the tree.
TEXT ·scoreLanesAVX512(SB), NOSPLIT, $0-48
	MOVQ data+0(FP), DI
	MOVQ stride+8(FP), R8
	MOVQ splits+16(FP), SI
	MOVQ leaves+24(FP), DX
	MOVQ trees+32(FP), CX
	MOVQ sums+40(FP), R9
	VMOVDQU32 (R9), Z0
	VMOVDQU32 64(R9), Z1
	TESTQ CX, CX
	JLE  scored

	MOVL $1, AX
	VPBROADCASTB AX, Y10
	VPADDB Y10, Y10, Y11
	VPADDB Y11, Y11, Y12
	VPADDB Y12, Y12, Y13
	VPADDB Y13, Y13, Y14
	VPADDB Y14, Y14, Y15

tree:
	VPXOR Y3, Y3, Y3
	ASK(0, Y10, Y3)
	ASK(4, Y11, Y3)
	ASK(8, Y12, Y3)
	ASK(12, Y13, Y3)
	ASK(16, Y14, Y3)
	ASK(20, Y15, Y3)
	VPMOVZXBW Y3, Z4
	VMOVDQU16 (DX), Z5
	VPERMI2W 64(DX), Z5, Z4
	VPMOVSXWD Y4, Z6
	VEXTRACTI64X4 $1, Z4, Y7
	VPMOVSXWD Y7, Z7
	VPADDD Z6, Z0, Z0
	VPADDD Z7, Z1, Z1
	ADDQ $24, SI
	ADDQ $128, DX
	DECQ CX
	JNZ  tree

scored:
	VMOVDQU32 Z0, (R9)
	VMOVDQU32 Z1, 64(R9)
	VZEROUPPER
	RET
