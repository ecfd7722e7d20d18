// The macros of `generated.ts` for eight hashes at a time, in vectors of AVX-512. A mask says which lanes run a program again. The lanes
// have scratchpads of 2056 words each.
#include <immintrin.h>
#include "hashwx.h"

typedef __m512i V;
enum { LANES = 8, LANE_WORDS = SCRATCHPAD_WORDS + 8 };

#define STORE_ROW(lane, row) \
  _mm512_mask_storeu_epi64((char *)scratchpads + tops[lane], (__mmask8)-(active >> (lane) & 1), row);
#define STORE_ROWS(lane, w, x, y, z) { \
  V a = _mm512_shuffle_i64x2(w, x, 0x88), b = _mm512_shuffle_i64x2(y, z, 0x88); \
  V c = _mm512_shuffle_i64x2(w, x, 0xdd), d = _mm512_shuffle_i64x2(y, z, 0xdd); \
  STORE_ROW(lane, _mm512_shuffle_i64x2(a, b, 0x88)) STORE_ROW(lane + 2, _mm512_shuffle_i64x2(c, d, 0x88)) \
  STORE_ROW(lane + 4, _mm512_shuffle_i64x2(a, b, 0xdd)) STORE_ROW(lane + 6, _mm512_shuffle_i64x2(c, d, 0xdd)) }

/** Transposes the words of all lanes, and stores the eight words of each active lane: 1.3 times as fast as scattering them. */
static inline void store_rows(uint64_t *scratchpads, V top, __mmask8 active, V w0, V w1, V w2, V w3, V w4, V w5, V w6, V w7) {
  uint64_t tops[LANES];
  _mm512_storeu_si512(tops, top);
  STORE_ROWS(0, _mm512_unpacklo_epi64(w0, w1), _mm512_unpacklo_epi64(w2, w3), _mm512_unpacklo_epi64(w4, w5), _mm512_unpacklo_epi64(w6, w7))
  STORE_ROWS(1, _mm512_unpackhi_epi64(w0, w1), _mm512_unpackhi_epi64(w2, w3), _mm512_unpackhi_epi64(w4, w5), _mm512_unpackhi_epi64(w6, w7))
}

#define WORD(n) _mm512_set1_epi64(n)
#define OR(x, y) _mm512_or_si512(x, y)
#define MUL(x, y) _mm512_mullo_epi64(x, y)
#define ROR(x, n) _mm512_ror_epi64(x, n)
#define ASR(x, n) _mm512_srai_epi64(x, n)
#define LSR(x, n) _mm512_srli_epi64(x, n)
#define XOR(x, y) _mm512_xor_si512(x, y)
#define ADD(x, y) _mm512_add_epi64(x, y)
#define SUB(x, y) _mm512_sub_epi64(x, y)
#include "operations.h"

#define DIRECT(s) r##s
#define LOAD(s) _mm512_i64gather_epi64(ADD(_mm512_and_si512(r##s, WORD(8 * SCRATCHPAD_WORDS - 1)), lanes), scratchpads, 1)
#define SET(d, operation, n, y) r##d = _mm512_mask_mov_epi64(r##d, active, operation(r##d, n, y));
#define RMCG(d, n) r##d = _mm512_mask_mov_epi64(r##d, active, ROR(MUL(r##d, r8), n)); \
  flags = _mm512_test_epi64_mask(r##d, WORD(32));
#define STORE top = _mm512_mask_sub_epi64(top, active, top, WORD(64)); \
  store_rows(scratchpads, top, active, r7, r6, r5, r4, r3, r2, r1, r0);
#define PROGRAM active = 255; for (;;) {
#define REPEAT_LAST active &= _mm512_test_epi64_mask(left, left); \
  if (active == 0) break; left = _mm512_mask_sub_epi64(left, active, left, WORD(1)); }
#define REPEAT active &= (__mmask8)~flags; REPEAT_LAST
#define PASSES_BEGIN for (int pass = 0; pass < PASSES; pass++) { V left = WORD(BRANCHES); __mmask8 active, flags;
#define PASSES_END (void)flags; }

/** The hashes of eight nonces. @param scratchpads 8 times 2056 words */
#define HASH_BEGIN static inline void hashwx_lanes(const uint64_t *key, uint64_t nonce, uint64_t *scratchpads, uint64_t *hashes) { \
  uint64_t all[9][LANES], r[9]; \
  for (int lane = 0; lane < LANES; lane++) { \
    registers_of(key, nonce + lane, r); \
    for (int i = 0; i < 9; i++) all[i][lane] = r[i]; \
    scratchpads[lane * LANE_WORDS + SCRATCHPAD_WORDS] = r[8]; \
  } \
  const V lanes = _mm512_mullo_epi64(WORD(8 * LANE_WORDS), _mm512_set_epi64(7, 6, 5, 4, 3, 2, 1, 0)); \
  V top = ADD(lanes, WORD(8 * SCRATCHPAD_WORDS)); \
  V r0 = _mm512_loadu_si512(all[0]), r1 = _mm512_loadu_si512(all[1]), r2 = _mm512_loadu_si512(all[2]); \
  V r3 = _mm512_loadu_si512(all[3]), r4 = _mm512_loadu_si512(all[4]), r5 = _mm512_loadu_si512(all[5]); \
  V r6 = _mm512_loadu_si512(all[6]), r7 = _mm512_loadu_si512(all[7]), r8 = _mm512_loadu_si512(all[8]);
#define HASH_END V registers[8] = {r0, r1, r2, r3, r4, r5, r6, r7}; \
  for (int i = 0; i < 8; i++) _mm512_storeu_si512(all[i], registers[i]); \
  for (int lane = 0; lane < LANES; lane++) { \
    for (int i = 0; i < 9; i++) r[i] = all[i][lane]; \
    hashes[lane] = finish(r); \
  } }
