#include "textflag.h"

// func fetchLines(lines **line, n int)
TEXT ·FetchLines(SB), NOSPLIT, $0-16
	MOVQ lines+0(FP), SI
	MOVQ n+8(FP), CX
	TESTQ CX, CX
	JLE  fetched

fetch:
	MOVQ (SI), AX
	PREFETCHT0 (AX)
	ADDQ $8, SI
	DECQ CX
	JNZ  fetch

fetched:
	RET

// func matchLinesAVX512(lines **line, n int, other, k uint32, masks *uint16)
//
// Sixteen lanes at a time: exclusive or with the query, count the bits, compare
// with k.
TEXT ·matchLinesAVX512(SB), NOSPLIT, $0-32
	MOVQ lines+0(FP), SI
	MOVQ n+8(FP), CX
	MOVQ masks+24(FP), DI
	TESTQ CX, CX
	JLE  matched
	MOVL other+16(FP), AX
	VPBROADCASTD AX, Z0
	MOVL k+20(FP), AX
	VPBROADCASTD AX, Z1

match:
	MOVQ (SI), AX
	VPXORD (AX), Z0, Z2
	VPOPCNTD Z2, Z2
	VPCMPUD $2, Z1, Z2, K1
	KMOVW K1, DX
	MOVW DX, (DI)
	ADDQ $8, SI
	ADDQ $2, DI
	DECQ CX
	JNZ  match
	VZEROUPPER

matched:
	RET
