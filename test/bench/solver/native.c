// The baseline: the search of src/widget/kernel in scalar C, with unrolled rounds and without the zero words.
// Arguments: block (128 bytes in hexadecimal, zero from byte 47 to 119), prefix, start, count, threshold.
// Prints the number of attempts and the seconds. With -DLANES=4 or 8, that many hashes at a time in vectors, as an attacker would.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static const uint64_t IV[8] = {
  0x6a09e667f3bcc908ULL, 0xbb67ae8584caa73bULL, 0x3c6ef372fe94f82bULL, 0xa54ff53a5f1d36f1ULL,
  0x510e527fade682d1ULL, 0x9b05688c2b3e6c1fULL, 0x1f83d9abfb41bd6bULL, 0x5be0cd19137e2179ULL,
};
#define H0 (IV[0] ^ 0x01010020)
#define Z 0

#ifndef LANES
#define LANES 1
#endif
#if LANES == 1
typedef uint64_t Words;
#define LANE(words, lane) (words)
#else
typedef uint64_t Words __attribute__((vector_size(8 * LANES)));
#define LANE(words, lane) ((words)[lane])
#endif

// A macro, because it rotates single words and vectors.
#define ROTR(x, bits) ((x) >> (bits) | (x) << (64 - (bits)))

#define HALF1(a, b, c, d, x) a += b + (x); d = ROTR(d ^ a, 32); c += d; b = ROTR(b ^ c, 24);
#define HALF2(a, b, c, d, y) a += b + (y); d = ROTR(d ^ a, 16); c += d; b = ROTR(b ^ c, 63);
#define G(a, b, c, d, x, y) HALF1(a, b, c, d, x) HALF2(a, b, c, d, y)
#define ROUND(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p) \
  G(v0, v4, v8, v12, a, b) G(v1, v5, v9, v13, c, d) G(v2, v6, v10, v14, e, f) G(v3, v7, v11, v15, g, h) \
  G(v0, v5, v10, v15, i, j) G(v1, v6, v11, v12, k, l) G(v2, v7, v8, v13, m, n) G(v3, v4, v9, v14, o, p)

static uint32_t search(const uint64_t *w, uint32_t prefix, uint32_t start, uint32_t count, uint32_t threshold) {
  const uint64_t m0 = w[0], m1 = w[1], m2 = w[2], m3 = w[3], m4 = w[4], m5 = w[5];
  uint64_t s0 = H0, s1 = IV[1], s2 = IV[2], s3 = IV[3], s4 = IV[4], s5 = IV[5], s6 = IV[6], s7 = IV[7];
  uint64_t s8 = IV[0], s9 = IV[1], s10 = IV[2], s11 = IV[3], s12 = IV[4] ^ 128, s13 = IV[5], s14 = ~IV[6], s15 = IV[7];
  G(s0, s4, s8, s12, m0, m1) G(s1, s5, s9, s13, m2, m3) G(s2, s6, s10, s14, m4, m5) G(s3, s7, s11, s15, Z, Z)
  G(s0, s5, s10, s15, Z, Z) G(s1, s6, s11, s12, Z, Z) G(s2, s7, s8, s13, Z, Z) HALF1(s3, s4, s9, s14, Z) s3 += s4;
  for (uint32_t i = 0; i < count; i += LANES) {
    Words m15;
    for (int lane = 0; lane < LANES; lane++) LANE(m15, lane) = (uint64_t)(start + i + lane) << 32 | prefix;
    const Words zero = m15 ^ m15;
    Words v0 = zero + s0, v1 = zero + s1, v2 = zero + s2, v3 = zero + s3, v4 = zero + s4, v5 = zero + s5;
    Words v6 = zero + s6, v7 = zero + s7, v8 = zero + s8, v9 = zero + s9, v10 = zero + s10, v11 = zero + s11;
    Words v12 = zero + s12, v13 = zero + s13, v14 = zero + s14, v15 = zero + s15;
    v3 += m15; v14 = ROTR(v14 ^ v3, 16); v9 += v14; v4 = ROTR(v4 ^ v9, 63);
    ROUND(Z, Z, m4, Z, Z, m15, Z, Z, m1, Z, m0, m2, Z, Z, m5, m3)
    ROUND(Z, Z, Z, m0, m5, m2, m15, Z, Z, Z, m3, Z, Z, m1, Z, m4)
    ROUND(Z, Z, m3, m1, Z, Z, Z, Z, m2, Z, m5, Z, m4, m0, m15, Z)
    ROUND(Z, m0, m5, Z, m2, m4, Z, m15, Z, m1, Z, Z, Z, Z, m3, Z)
    ROUND(m2, Z, Z, Z, m0, Z, Z, m3, m4, Z, Z, m5, m15, Z, m1, Z)
    ROUND(Z, m5, m1, m15, Z, Z, m4, Z, m0, Z, Z, m3, Z, m2, Z, Z)
    ROUND(Z, Z, Z, Z, Z, m1, m3, Z, m5, m0, m15, m4, Z, Z, m2, Z)
    ROUND(Z, m15, Z, Z, Z, m3, m0, Z, Z, m2, Z, Z, m1, m4, Z, m5)
    ROUND(Z, m2, Z, m4, Z, Z, m1, m5, m15, Z, Z, Z, m3, Z, Z, m0)
    ROUND(m0, m1, m2, m3, m4, m5, Z, Z, Z, Z, Z, Z, Z, Z, Z, m15)
    G(v0, v4, v8, v12, Z, Z) G(v1, v5, v9, v13, m4, Z) G(v2, v6, v10, v14, Z, m15) G(v3, v7, v11, v15, Z, Z)
    G(v0, v5, v10, v15, m1, Z) G(v2, v7, v8, v13, Z, Z)
    const Words first = H0 ^ v0 ^ v8;
    for (int lane = 0; lane < LANES; lane++) {
      if ((uint32_t)LANE(first, lane) <= threshold) return i + lane + 1;
    }
  }
  return 0;
}

int main(int argc, char **argv) {
  if (argc != 6) return 2;
  uint64_t words[16] = {0};
  for (int i = 0; i < 128; i++) {
    unsigned byte;
    if (sscanf(argv[1] + 2 * i, "%2x", &byte) != 1) return 2;
    ((uint8_t *)words)[i] = byte;
  }
  struct timespec from, to;
  clock_gettime(CLOCK_MONOTONIC, &from);
  const uint32_t found = search(words, strtoul(argv[2], 0, 10), strtoul(argv[3], 0, 10), strtoul(argv[4], 0, 10),
                                strtoul(argv[5], 0, 10));
  clock_gettime(CLOCK_MONOTONIC, &to);
  printf("%u %.9f\n", found, (to.tv_sec - from.tv_sec) + (to.tv_nsec - from.tv_nsec) / 1e9);
  return 0;
}
