// HashWX on a GPU: each thread hashes one nonce and has a scratchpad of 16 KiB in local memory. Compiles with nvcc, and with gcc (`-x c`),
// which runs the same threads one after another on the CPU.
// -DGENERATED='"FILE"' compiles the programs of one seed (`generated.ts`), which takes seconds for 65,536 nonces; otherwise, an
// interpreter reads them from shared memory.
// Arguments: SEED THREADS THRESHOLD. Prints the number of hits, the lowest nonce with a hit, and the seconds.
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#define HASHWX_ALIGNED
#ifdef GENERATED
#include GENERATED
#else
#include "hashwx.h"
#endif

typedef struct {
  uint32_t hits, lowest;
} Found;

HX uint32_t upper_half(const Instruction (*code)[INSTRUCTIONS], const uint64_t *key, uint64_t nonce) {
  uint64_t scratchpad[SCRATCHPAD_WORDS + 1];
#ifdef GENERATED
  (void)code;
  return (uint32_t)(hashwx_generated(key, nonce, scratchpad) >> 32);
#else
  return (uint32_t)(hashwx_interpret(code, key, nonce, scratchpad) >> 32);
#endif
}

#ifdef __CUDACC__
__global__ void search(const Hashwx *programs, uint32_t threshold, Found *found) {
  __shared__ Hashwx own;
  for (unsigned i = threadIdx.x; i < sizeof own / 4; i += blockDim.x) ((uint32_t *)&own)[i] = ((const uint32_t *)programs)[i];
  __syncthreads();
  uint32_t nonce = blockIdx.x * blockDim.x + threadIdx.x;
  if (upper_half(own.code, own.key, nonce) > threshold) return;
  atomicAdd(&found->hits, 1);
  atomicMin(&found->lowest, nonce);
}

static Found search_all(const Hashwx *programs, uint32_t threads, uint32_t threshold) {
  Hashwx *code;
  Found *on_device, found = {0, UINT32_MAX};
  const unsigned block = 128;
  if (cudaMalloc(&code, sizeof *code) || cudaMalloc(&on_device, sizeof found)) exit(3);
  cudaMemcpy(code, programs, sizeof *code, cudaMemcpyHostToDevice);
  cudaMemcpy(on_device, &found, sizeof found, cudaMemcpyHostToDevice);
  search<<<threads / block, block>>>(code, threshold, on_device);
  if (cudaMemcpy(&found, on_device, sizeof found, cudaMemcpyDeviceToHost)) exit(3);
  return found;
}
#else
static Found search_all(const Hashwx *programs, uint32_t threads, uint32_t threshold) {
  Found found = {0, UINT32_MAX};
  for (uint32_t nonce = 0; nonce < threads; nonce++) {
    if (upper_half(programs->code, programs->key, nonce) > threshold) continue;
    if (found.hits++ == 0) found.lowest = nonce;
  }
  return found;
}
#endif

int main(int count, char **values) {
  if (count != 4) return 2;
  uint64_t seed[4];
  for (int i = 0; i < 32; i++) {
    unsigned byte;
    if (sscanf(values[1] + 2 * i, "%2x", &byte) != 1) return 2;
    ((uint8_t *)seed)[i] = (uint8_t)byte;
  }
  Hashwx programs;
  hashwx_create(seed, &programs);
  struct timespec from, to;
  clock_gettime(CLOCK_MONOTONIC, &from);
  Found found = search_all(&programs, (uint32_t)strtoul(values[2], NULL, 10), (uint32_t)strtoul(values[3], NULL, 10));
  clock_gettime(CLOCK_MONOTONIC, &to);
  printf("%u %u %.6f\n", found.hits, found.lowest, (to.tv_sec - from.tv_sec) + (to.tv_nsec - from.tv_nsec) * 1e-9);
  return 0;
}
