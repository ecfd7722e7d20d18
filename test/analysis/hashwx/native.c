// Hashes with the interpreter, or with the programs of one seed if GENERATED names the output of `generated.ts`.
// Commands: `hash SEED NONCE` prints a hash; `rate SEED COUNT` prints seconds; `create SEED COUNT` prints the seconds for creating programs;
// `hits SEED PROGRAMS NONCES` prints, for each of the programs, the numbers of hits with probabilities of 1/64 and 1/1024 and the seconds;
// `bits SEED PROGRAMS NONCES` prints how often each bit of the hash is 1; `warps SEED PROGRAMS LANES` prints, for each of the programs, how
// often a group of hashes that waits for the slowest of its lanes runs a program.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
static unsigned runs[256];
#define COUNT_RUN(pass, program) runs[32 * (pass) + (program)]++
#ifdef GENERATED
#include GENERATED
#else
#include "hashwx.h"
#endif

static uint64_t scratchpads[8 * (SCRATCHPAD_WORDS + 8)];
static Hashwx current;

static double seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return now.tv_sec + now.tv_nsec * 1e-9;
}

static void read_seed(const char *hex, uint64_t *seed) {
  for (int i = 0; i < 32; i++) {
    unsigned byte;
    if (sscanf(hex + 2 * i, "%2x", &byte) != 1) exit(2);
    ((uint8_t *)seed)[i] = (uint8_t)byte;
  }
}

/** The programs of the seed's successors are those of other seeds. */
static void create(const uint64_t *seed, uint64_t index) {
  uint64_t own[4] = {seed[0] + index, seed[1], seed[2] + index, seed[3]};
  hashwx_create(own, &current);
}

#ifdef _IMMINTRIN_H_INCLUDED
enum { STEP = 8 };
static void hash(uint64_t nonce, uint64_t *hashes) { hashwx_lanes(current.key, nonce, scratchpads, hashes); }
#else
enum { STEP = 1 };
static void hash(uint64_t nonce, uint64_t *hashes) {
#ifdef GENERATED
  *hashes = hashwx_generated(current.key, nonce, scratchpads);
#else
  *hashes = hashwx_interpret(current.code, current.key, nonce, scratchpads);
#endif
}
#endif

static void print_hits(uint64_t programs_from, uint64_t nonces, const uint64_t *seed) {
  uint64_t hashes[STEP];
  create(seed, programs_from);
  unsigned often = 0, seldom = 0;
  double from = seconds();
  for (uint64_t nonce = 0; nonce < nonces; nonce += STEP) {
    hash(nonce, hashes);
    often += hashes[0] >> 58 == 0;
    seldom += hashes[0] >> 54 == 0;
  }
  printf("%u %u %.6f\n", often, seldom, seconds() - from);
}

/** 512 if all lanes branch alike. */
static unsigned runs_of_group(uint64_t lanes) {
  unsigned most[256] = {0}, total = 0;
  uint64_t hashes[STEP];
  for (uint64_t nonce = 0; nonce < lanes; nonce++) {
    memset(runs, 0, sizeof runs);
    hash(nonce, hashes);
    for (int i = 0; i < 256; i++) if (runs[i] > most[i]) most[i] = runs[i];
  }
  for (int i = 0; i < 256; i++) total += most[i];
  return total;
}

int main(int count, char **values) {
  if (count < 4) return 2;
  uint64_t seed[4], hashes[STEP], number = strtoull(values[3], NULL, 10), nonces = count > 4 ? strtoull(values[4], NULL, 10) : 0;
  read_seed(values[2], seed);
  create(seed, 0);
  if (strcmp(values[1], "hash") == 0) {
    hash(number, hashes);
    for (int i = 0; i < STEP; i++) printf("%016llx\n", (unsigned long long)hashes[i]);
  } else if (strcmp(values[1], "rate") == 0) {
    uint64_t sum = 0;
    double from = seconds();
    for (uint64_t nonce = 0; nonce < number; nonce += STEP) { hash(nonce, hashes); sum ^= hashes[0]; }
    double used = seconds() - from;
    printf("%.9f %llu\n", used, (unsigned long long)sum);
  } else if (strcmp(values[1], "create") == 0) {
    double from = seconds();
    for (uint64_t i = 0; i < number; i++) create(seed, i);
    printf("%.9f\n", seconds() - from);
  } else if (strcmp(values[1], "hits") == 0) {
    for (uint64_t i = 0; i < number; i++) print_hits(i, nonces, seed);
  } else if (strcmp(values[1], "bits") == 0) {
    uint64_t ones[64] = {0};
    for (uint64_t i = 0; i < number; i++) {
      create(seed, i);
      for (uint64_t nonce = 0; nonce < nonces; nonce++) {
        hash(nonce, hashes);
        for (int bit = 0; bit < 64; bit++) ones[bit] += hashes[0] >> bit & 1;
      }
    }
    for (int bit = 0; bit < 64; bit++) printf("%llu\n", (unsigned long long)ones[bit]);
  } else if (strcmp(values[1], "warps") == 0) {
    for (uint64_t i = 0; i < number; i++) { create(seed, i); printf("%u\n", runs_of_group(nonces)); }
  } else return 2;
  return 0;
}
