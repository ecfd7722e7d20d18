// HashWX v1 in C, written from docs/reference/protocol.md#hashwx. It compiles as C and as CUDA. The functions for the scratchpad
// use aligned words, because GPUs cannot load words from other addresses.
#ifndef HASHWX_H
#define HASHWX_H
#include <stdint.h>

#ifdef __CUDACC__
#define HX static __host__ __device__ inline
#else
#define HX static inline
#endif

/** Called each time that the interpreter runs a program. */
#ifndef COUNT_RUN
#define COUNT_RUN(pass, program)
#endif

enum { PROGRAMS = 32, INSTRUCTIONS = 8, PASSES = 4, BRANCHES = 32, SCRATCHPAD_WORDS = 2048 };

typedef struct {
  uint8_t opcode, destination, source, immediate;
} Instruction;

typedef struct {
  Instruction code[PROGRAMS][INSTRUCTIONS];
  /** The key for the registers. */
  uint64_t key[2];
} Hashwx;

typedef struct {
  uint64_t v0, v1, v2, v3;
} Sip;

HX uint64_t ror(uint64_t x, unsigned bits) { return x >> bits | x << (64 - bits); }

HX Sip sip_rounds(Sip s, int count) {
  while (count-- > 0) {
    s.v0 += s.v1; s.v1 = ror(s.v1, 51) ^ s.v0; s.v0 = ror(s.v0, 32);
    s.v2 += s.v3; s.v3 = ror(s.v3, 48) ^ s.v2;
    s.v2 += s.v1; s.v1 = ror(s.v1, 47) ^ s.v2; s.v2 = ror(s.v2, 32);
    s.v0 += s.v3; s.v3 = ror(s.v3, 43) ^ s.v0;
  }
  return s;
}

HX void sip_numbers(uint64_t k0, uint64_t k1, uint64_t salt, int count, uint64_t *to) {
  Sip s = {0x736f6d6570736575ULL ^ k0, 0x646f72616e646f6dULL ^ k1, 0x6c7967656e657261ULL ^ k0,
           0x7465646279746573ULL ^ k1 ^ salt};
  s = sip_rounds(s, 1);
  s.v0 ^= salt; s.v2 ^= 0xbb;
  s = sip_rounds(s, 3);
  for (int i = 0; i < count; i += 4) {
    if (i > 0) {
      s.v0 ^= k0; s.v1 ^= k1; s.v2 ^= k0; s.v3 ^= k1;
      s = sip_rounds(s, 4);
    }
    to[i] = s.v3; to[i + 1] = s.v2; to[i + 2] = s.v1; to[i + 3] = s.v0;
  }
}

/** Opcodes: 0 to 2 MULOR, MULXOR, MULADD; 3 to 11 in the order of the specification; 12 RMCG. */
enum { RMCG = 12 };

static const uint32_t PERMUTATIONS[128] = {
  0x02345671, 0x02375614, 0x02451673, 0x02713456, 0x03172456, 0x03456712, 0x03567214, 0x04127356,
  0x04567123, 0x04576132, 0x05123746, 0x06123475, 0x06541372, 0x10326745, 0x10576342, 0x10675234,
  0x10723456, 0x10742635, 0x10765324, 0x12576304, 0x13056742, 0x14672035, 0x14675230, 0x16057234,
  0x16057324, 0x16357042, 0x16705234, 0x17023456, 0x17065234, 0x17506234, 0x17506324, 0x17642053,
  0x20675341, 0x20713456, 0x20741653, 0x23457601, 0x23615740, 0x23645701, 0x23657041, 0x23675041,
  0x24316705, 0x24675031, 0x25067314, 0x25471603, 0x25640731, 0x26310745, 0x27013456, 0x27450631,
  0x27645013, 0x27645031, 0x30172456, 0x30456271, 0x30657142, 0x30741625, 0x34016725, 0x34026715,
  0x34057612, 0x34602715, 0x34701625, 0x34702615, 0x35460172, 0x35461270, 0x35462170, 0x36705214,
  0x37102456, 0x37506124, 0x37506214, 0x40127356, 0x40752613, 0x42361705, 0x42576130, 0x43012675,
  0x43751620, 0x45061273, 0x45062173, 0x45367021, 0x45367102, 0x46075231, 0x46302751, 0x46312705,
  0x46315702, 0x47120356, 0x47506213, 0x50123746, 0x52460173, 0x52461073, 0x52461370, 0x52461730,
  0x52706314, 0x53017642, 0x53412670, 0x53641270, 0x54062371, 0x54372601, 0x54673120, 0x56317042,
  0x56407312, 0x56740123, 0x57123046, 0x60123475, 0x62315704, 0x62450371, 0x62570143, 0x62743015,
  0x63517402, 0x63517420, 0x64571230, 0x65740123, 0x65740213, 0x65740312, 0x67123405, 0x67123450,
  0x67350142, 0x67540123, 0x72013456, 0x72451306, 0x72451603, 0x73102456, 0x73456021, 0x74120356,
  0x74560132, 0x75123046, 0x75316024, 0x75641203, 0x75641230, 0x76123405, 0x76123450, 0x76305124,
};

static const uint8_t TEMPLATES[35] = {
  0x0f, 0x17, 0x1b, 0x1d, 0x1e, 0x27, 0x2b, 0x2d, 0x2e, 0x33, 0x35, 0x36, 0x39, 0x3a, 0x3c, 0x47, 0x4b, 0x4d,
  0x4e, 0x53, 0x55, 0x56, 0x59, 0x5a, 0x5c, 0x63, 0x65, 0x66, 0x69, 0x6a, 0x6c, 0x71, 0x72, 0x74, 0x78,
};

static uint8_t immediate_of(int opcode, uint64_t number) {
  static const uint8_t OPERANDS[3] = {1, 9, 33};
  if (opcode < 3) return OPERANDS[number % 3];
  return 1 + (opcode < 6 || opcode == RMCG ? number % 63 : number % 3);
}

static void create_program(const uint64_t *g, Instruction *code) {
  uint8_t d[8] = {0};
  for (unsigned i = 1; i < 8; i++) {
    unsigned j = (unsigned)(g[i - 1] >> 32) % (i + 1);
    d[i] = (uint8_t)i; d[i] = d[j]; d[j] = (uint8_t)i;
  }
  uint32_t permutation = PERMUTATIONS[g[7] % 128];
  uint8_t letters = TEMPLATES[g[7] % 35];
  code[0] = (Instruction){RMCG, d[0], 0, immediate_of(RMCG, g[8])};
  for (int i = 1; i < 8; i++) {
    uint32_t low = (uint32_t)g[i - 1];
    int opcode = letters >> (7 - i) & 1 ? 3 + low % 9 : low % 3;
    code[i] = (Instruction){(uint8_t)opcode, d[i], d[permutation >> (28 - 4 * i) & 7], immediate_of(opcode, g[8 + i])};
  }
}

/** @param seed 32 bytes as four little-endian integers */
static void hashwx_create(const uint64_t *seed, Hashwx *to) {
  uint64_t numbers[PROGRAMS * 16];
  sip_numbers(seed[0], seed[1], ~0ULL, PROGRAMS * 16, numbers);
  for (int i = 0; i < PROGRAMS; i++) create_program(numbers + 16 * i, to->code[i]);
  to->key[0] = seed[2]; to->key[1] = seed[3];
}

HX uint64_t load_word(const uint64_t *scratchpad, uint64_t address) {
  unsigned at = (unsigned)address & (8 * SCRATCHPAD_WORDS - 1), bits = 8 * (at & 7);
  const uint64_t *from = scratchpad + (at >> 3);
  return bits ? from[0] >> bits | from[1] << (64 - bits) : from[0];
}

HX uint64_t apply(Instruction at, uint64_t x, uint64_t y) {
  unsigned n = at.immediate;
  switch (at.opcode) {
    case 0: return (x | n) * y;
    case 1: return (x ^ n) * y;
    case 2: return (x + n) * y;
    case 3: return ror(x, n) ^ y;
    case 4: return ror(x, n) + y;
    case 5: return ror(x, n) - y;
    case 6: return (uint64_t)((int64_t)x >> n) ^ y;
    case 7: return (uint64_t)((int64_t)x >> n) + y;
    case 8: return (uint64_t)((int64_t)x >> n) - y;
    case 9: return (x >> n) ^ y;
    case 10: return (x >> n) + y;
    case 11: return (x >> n) - y;
    default: return ror(x * y, n);
  }
}

HX void registers_of(const uint64_t *key, uint64_t nonce, uint64_t *r) {
  sip_numbers(key[0], key[1], nonce, 8, r);
  r[8] = ((r[0] ^ r[4]) & ~7ULL) | 3;
}

HX uint64_t finish(const uint64_t *r) {
  Sip low = {r[0], r[1], r[2], r[3]}, high = {r[4], r[5], r[6], r[7]};
  return sip_rounds(low, 1).v3 ^ sip_rounds(high, 1).v3 ^ r[8];
}

/** The hash with an interpreter. @param code 32 programs @param scratchpad 2049 words */
HX uint64_t hashwx_interpret(const Instruction (*code)[INSTRUCTIONS], const uint64_t *key, uint64_t nonce, uint64_t *scratchpad) {
  uint64_t r[9];
  registers_of(key, nonce, r);
  scratchpad[SCRATCHPAD_WORDS] = r[8];
  unsigned top = SCRATCHPAD_WORDS;
  for (int pass = 0; pass < 2 * PASSES; pass++) {
    int left = BRANCHES;
    for (int i = 0; i < PROGRAMS; i++) {
      for (;;) {
        COUNT_RUN(pass, i);
        if (pass < PASSES) {
          top -= 8;
          for (int j = 0; j < 8; j++) scratchpad[top + j] = r[7 - j];
        }
        r[code[i][0].destination] = apply(code[i][0], r[code[i][0].destination], r[8]);
        int flag = r[code[i][0].destination] >> 5 & 1;
        for (int j = 1; j < INSTRUCTIONS; j++) {
          Instruction at = code[i][j];
          uint64_t y = r[at.source];
          if (pass >= PASSES) y = load_word(scratchpad, y);
          r[at.destination] = apply(at, r[at.destination], y);
        }
        if (left == 0 || (flag && i < PROGRAMS - 1)) break;
        left--;
      }
    }
  }
  return finish(r);
}
#endif
