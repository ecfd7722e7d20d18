// The baseline: argon2id (RFC 9106) of a puzzle in scalar C, with 16 MiB, one pass, one lane, and a tag of 32 bytes.
// Arguments: block (128 bytes in hexadecimal), prefix, start, count, threshold.
// Prints the number of attempts and the seconds.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define BLOCKS 16384
#define SEGMENT (BLOCKS / 4)
#define WORDS 128

static const uint64_t IV[8] = {
  0x6a09e667f3bcc908ULL, 0xbb67ae8584caa73bULL, 0x3c6ef372fe94f82bULL, 0xa54ff53a5f1d36f1ULL,
  0x510e527fade682d1ULL, 0x9b05688c2b3e6c1fULL, 0x1f83d9abfb41bd6bULL, 0x5be0cd19137e2179ULL,
};

static const uint8_t SIGMA[10][16] = {
  {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}, {14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3},
  {11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4}, {7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8},
  {9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13}, {2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9},
  {12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11}, {13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10},
  {6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5}, {10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0},
};

static inline uint64_t rotr(uint64_t x, int bits) { return x >> bits | x << (64 - bits); }

#define STEP(a, b, c, d, x, y) \
  a += b + (x); d = rotr(d ^ a, 32); c += d; b = rotr(b ^ c, 24); \
  a += b + (y); d = rotr(d ^ a, 16); c += d; b = rotr(b ^ c, 63);

static void blake2b(uint8_t *out, size_t outSize, const uint8_t *in, size_t size) {
  uint64_t h[8];
  memcpy(h, IV, sizeof h);
  h[0] ^= 0x01010000 ^ outSize;
  for (size_t at = 0; at == 0 || at < size; at += 128) {
    const size_t left = size - at;
    const int isLast = left <= 128;
    uint64_t m[16] = {0}, v[16];
    memcpy(m, in + at, isLast ? left : 128);
    memcpy(v, h, sizeof h);
    memcpy(v + 8, IV, sizeof IV);
    v[12] ^= isLast ? size : at + 128;
    if (isLast) v[14] = ~v[14];
    for (int round = 0; round < 12; round++) {
      const uint8_t *s = SIGMA[round % 10];
      for (int i = 0; i < 4; i++) {
        STEP(v[i], v[4 + i], v[8 + i], v[12 + i], m[s[2 * i]], m[s[2 * i + 1]])
      }
      for (int i = 0; i < 4; i++) {
        STEP(v[i], v[4 + (i + 1) % 4], v[8 + (i + 2) % 4], v[12 + (i + 3) % 4], m[s[8 + 2 * i]], m[s[9 + 2 * i]])
      }
    }
    for (int i = 0; i < 8; i++) h[i] ^= v[i] ^ v[8 + i];
  }
  memcpy(out, h, outSize);
}

/** RFC 9106, section 3.3. */
static void blake2bLong(uint8_t *out, uint32_t outSize, const uint8_t *in, size_t size) {
  uint8_t buffer[4 + 1024], v[64];
  memcpy(buffer, &outSize, 4);
  memcpy(buffer + 4, in, size);
  if (outSize <= 64) {
    blake2b(out, outSize, buffer, 4 + size);
    return;
  }
  blake2b(v, 64, buffer, 4 + size);
  for (; outSize > 64; outSize -= 32, out += 32) {
    memcpy(out, v, 32);
    blake2b(v, outSize - 32 > 64 ? 64 : outSize - 32, v, 64);
  }
  memcpy(out, v, outSize);
}

static inline uint64_t multiplyAdd(uint64_t a, uint64_t b) { return a + b + 2 * (uint64_t)(uint32_t)a * (uint32_t)b; }

#define G(a, b, c, d) \
  a = multiplyAdd(a, b); d = rotr(d ^ a, 32); c = multiplyAdd(c, d); b = rotr(b ^ c, 24); \
  a = multiplyAdd(a, b); d = rotr(d ^ a, 16); c = multiplyAdd(c, d); b = rotr(b ^ c, 63);

/** RFC 9106, section 3.6. `step` is the distance between pairs of words. */
static inline void permute(uint64_t *w, int step) {
  uint64_t v0 = w[0], v1 = w[1], v2 = w[step], v3 = w[step + 1], v4 = w[2 * step], v5 = w[2 * step + 1];
  uint64_t v6 = w[3 * step], v7 = w[3 * step + 1], v8 = w[4 * step], v9 = w[4 * step + 1];
  uint64_t v10 = w[5 * step], v11 = w[5 * step + 1], v12 = w[6 * step], v13 = w[6 * step + 1];
  uint64_t v14 = w[7 * step], v15 = w[7 * step + 1];
  G(v0, v4, v8, v12) G(v1, v5, v9, v13) G(v2, v6, v10, v14) G(v3, v7, v11, v15)
  G(v0, v5, v10, v15) G(v1, v6, v11, v12) G(v2, v7, v8, v13) G(v3, v4, v9, v14)
  w[0] = v0; w[1] = v1; w[step] = v2; w[step + 1] = v3; w[2 * step] = v4; w[2 * step + 1] = v5;
  w[3 * step] = v6; w[3 * step + 1] = v7; w[4 * step] = v8; w[4 * step + 1] = v9;
  w[5 * step] = v10; w[5 * step + 1] = v11; w[6 * step] = v12; w[6 * step + 1] = v13;
  w[7 * step] = v14; w[7 * step + 1] = v15;
}

/** RFC 9106, section 3.5. */
static void compress(uint64_t *restrict out, const uint64_t *restrict x, const uint64_t *restrict y) {
  uint64_t r[WORDS], z[WORDS];
  for (int i = 0; i < WORDS; i++) r[i] = z[i] = x[i] ^ y[i];
  for (int i = 0; i < 8; i++) permute(z + 16 * i, 2);
  for (int i = 0; i < 8; i++) permute(z + 2 * i, 16);
  for (int i = 0; i < WORDS; i++) out[i] = r[i] ^ z[i];
}

/** RFC 9106, section 3.4.2. @param first 32 bits of pseudorandom data */
static uint32_t referenceOf(uint32_t i, uint32_t j1) {
  const uint32_t area = i - 1;
  const uint64_t x = (uint64_t)j1 * j1 >> 32;
  return area - 1 - (uint32_t)(area * x >> 32);
}

/** References of the first two slices, which depend only on the parameters (RFC 9106, section 3.4.1.2). */
static void prepareReferences(uint32_t *references) {
  static const uint64_t zero[WORDS];
  uint64_t input[WORDS] = {0}, half[WORDS], addresses[WORDS];
  input[3] = BLOCKS;
  input[4] = 1;
  input[5] = 2;
  for (uint32_t i = 0; i < 2 * SEGMENT; i++) {
    if (i % WORDS == 0) {
      input[2] = i / SEGMENT;
      input[6] = i % SEGMENT / WORDS + 1;
      compress(half, zero, input);
      compress(addresses, zero, half);
    }
    if (i >= 2) references[i] = referenceOf(i, (uint32_t)addresses[i % WORDS]);
  }
}

static uint64_t memory[BLOCKS][WORDS] __attribute__((aligned(64)));

/** @returns the first 32 bits of the tag */
static uint32_t hash(const uint8_t *password, const uint32_t *references) {
  const uint32_t sizes[7] = {1, 32, BLOCKS, 1, 0x13, 2, 128};
  const uint32_t saltSize = 16;
  uint8_t input[184] = {0}, seed[72] = {0}, tag[32];
  memcpy(input, sizes, 28);
  memcpy(input + 28, password, 128);
  memcpy(input + 156, &saltSize, 4);
  memcpy(input + 160, password, 16);
  blake2b(seed, 64, input, 184);
  for (int i = 0; i < 2; i++) {
    seed[64] = i;
    blake2bLong((uint8_t *)memory[i], 1024, seed, 72);
  }
  for (uint32_t i = 2; i < BLOCKS; i++) {
    const uint32_t reference = i < 2 * SEGMENT ? references[i] : referenceOf(i, (uint32_t)memory[i - 1][0]);
    compress(memory[i], memory[i - 1], memory[reference]);
  }
  blake2bLong(tag, 32, (uint8_t *)memory[BLOCKS - 1], 1024);
  uint32_t first;
  memcpy(&first, tag, 4);
  return first;
}

int main(int argc, char **argv) {
  if (argc != 6) return 2;
  static uint32_t references[2 * SEGMENT];
  uint8_t password[128];
  for (int i = 0; i < 128; i++) {
    unsigned byte;
    if (sscanf(argv[1] + 2 * i, "%2x", &byte) != 1) return 2;
    password[i] = byte;
  }
  const uint32_t prefix = strtoul(argv[2], 0, 10), start = strtoul(argv[3], 0, 10), count = strtoul(argv[4], 0, 10);
  const uint32_t threshold = strtoul(argv[5], 0, 10);
  prepareReferences(references);
  // The first use of the memory is slower.
  memset(memory, 1, sizeof memory);
  memcpy(password + 120, &prefix, 4);
  uint32_t found = 0;
  struct timespec from, to;
  clock_gettime(CLOCK_MONOTONIC, &from);
  for (uint32_t i = 0; i < count && found == 0; i++) {
    const uint32_t counter = start + i;
    memcpy(password + 124, &counter, 4);
    if (hash(password, references) <= threshold) found = i + 1;
  }
  clock_gettime(CLOCK_MONOTONIC, &to);
  printf("%u %.9f\n", found, (to.tv_sec - from.tv_sec) + (to.tv_nsec - from.tv_nsec) / 1e9);
  return 0;
}
