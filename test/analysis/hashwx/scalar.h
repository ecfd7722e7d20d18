// The macros of `generated.ts` for one hash at a time, in C or CUDA.
#include "hashwx.h"

#define WORD(n) (n)
#define OR(x, y) ((x) | (y))
#define XOR(x, y) ((x) ^ (y))
#define ADD(x, y) ((x) + (y))
#define SUB(x, y) ((x) - (y))
#define MUL(x, y) ((x) * (y))
#define ROR(x, n) ror(x, n)
#define ASR(x, n) ((uint64_t)((int64_t)(x) >> (n)))
#define LSR(x, n) ((x) >> (n))
#include "operations.h"

#define DIRECT(s) r##s
#ifdef HASHWX_ALIGNED
#define LOAD(s) load_word(scratchpad, r##s)
#else
#include <string.h>
HX uint64_t load_unaligned(const uint64_t *scratchpad, uint64_t address) {
  uint64_t word;
  memcpy(&word, (const char *)scratchpad + (address & (8 * SCRATCHPAD_WORDS - 1)), 8);
  return word;
}
#define LOAD(s) load_unaligned(scratchpad, r##s)
#endif
#define SET(d, operation, n, y) r##d = operation(r##d, n, y);
#define RMCG(d, n) r##d = ROR(r##d * r8, n); flag = (int)(r##d >> 5) & 1;
#define STORE top -= 8; \
  top[0] = r7; top[1] = r6; top[2] = r5; top[3] = r4; top[4] = r3; top[5] = r2; top[6] = r1; top[7] = r0;
#define PROGRAM for (;;) {
#define REPEAT if (left == 0 || flag) break; left--; }
#define REPEAT_LAST if (left == 0) break; left--; }
#define PASSES_BEGIN for (int pass = 0; pass < PASSES; pass++) { int left = BRANCHES, flag;
#define PASSES_END (void)flag; }

/** The hash with the generated programs. @param scratchpad 2049 words */
#define HASH_BEGIN HX uint64_t hashwx_generated(const uint64_t *key, uint64_t nonce, uint64_t *scratchpad) { \
  uint64_t r[9], *top = scratchpad + SCRATCHPAD_WORDS; \
  registers_of(key, nonce, r); \
  uint64_t r0 = r[0], r1 = r[1], r2 = r[2], r3 = r[3], r4 = r[4], r5 = r[5], r6 = r[6], r7 = r[7], r8 = r[8]; \
  *top = r8;
#define HASH_END r[0] = r0; r[1] = r1; r[2] = r2; r[3] = r3; r[4] = r4; r[5] = r5; r[6] = r6; r[7] = r7; \
  return finish(r); }
