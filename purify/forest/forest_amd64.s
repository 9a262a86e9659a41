#include "textflag.h"

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
