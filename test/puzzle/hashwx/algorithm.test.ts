import { describe, expect, test } from 'bun:test';
import { kernelOf } from '../../../build/bundle.ts';
import { createHashwx } from '../../../src/server/hashwx.ts';
import { createRandom } from '../../support/random.ts';
import { createReference, PERMUTATIONS, programsOf } from './reference.ts';
import vectors from './vectors.json';

/** Seeds and nonces for the comparison with the reference. */
const RANDOM_CASES = 300;

const bytesOf = (size: number, random: (below: number) => number) =>
  Uint8Array.from({ length: size }, () => random(256));

const nonceOf = (random: (below: number) => number) =>
  new DataView(bytesOf(8, random).buffer).getBigUint64(0, true);

function createKernel(): (seed: Uint8Array) => (nonce: bigint) => bigint {
  const hashwx = createHashwx();
  return (seed) => {
    hashwx.generate(seed);
    return hashwx.completeHash;
  };
}

describe.each([
  ['reference', createReference],
  ['kernel', createKernel()],
])('the %s', (_, implementation) => {
  test('computes the vectors of the specification, and further ones', () => {
    const all = [...vectors.spec, ...vectors.generated];
    expect(all.length).toBe(54);
    for (const { seed, nonce, hash } of all) {
      const result = implementation(Uint8Array.fromHex(seed))(BigInt(nonce));
      expect(result.toString(16).padStart(16, '0')).toBe(hash);
    }
  });
});

describe('the kernel', () => {
  const kernel = createKernel();

  test('agrees with the reference for random seeds and nonces', () => {
    const random = createRandom(1);
    for (let i = 0; i < RANDOM_CASES; i++) {
      const [seed, nonce] = [bytesOf(32, random), nonceOf(random)];
      expect({ seed: seed.toHex(), nonce, hash: kernel(seed)(nonce) }).toEqual({
        seed: seed.toHex(),
        nonce,
        hash: createReference(seed)(nonce),
      });
    }
  });

  test('returns the upper half of the hash', () => {
    const hashwx = createHashwx();
    const seed = new Uint8Array(32).fill(7);
    hashwx.generate(seed);
    const reference = createReference(seed);
    for (const nonce of [0, 1, 255, 256, 65_535])
      expect(hashwx.hash(nonce)).toBe(Number(reference(BigInt(nonce)) >> 32n));
  });

  test('creates each permutation and each template', () => {
    const random = createRandom(2);
    const permutations = new Set<string>();
    const templates = new Set<string>();
    for (let i = 0; i < 200; i++) {
      for (const program of programsOf(bytesOf(32, random))) {
        const destinations = program.map(({ destination }) => destination);
        permutations.add(program.map(({ source }) => destinations.indexOf(source)).join(''));
        templates.add(program.map(({ opcode }) => (opcode.startsWith('MUL') ? 'M' : 'X')).join(''));
      }
    }
    expect(permutations.size).toBe(new Set(PERMUTATIONS.map((digits) => digits.slice(1))).size);
    expect(templates.size).toBe(35);
  });
});

/** The kernel's memory. Everything outside these ranges must stay as it is. */
const PAGE = 65_536;
const SEED = 0;
const SCRATCHPAD = { from: 32_768, to: 32_768 + 16_384 + 8 };
/** The result, the registers, the instructions, the numbers of the generator, and the scratchpad. */
const WRITTEN = [
  { from: 32, to: 40 },
  { from: 64, to: 128 },
  { from: 1024, to: 3072 },
  { from: 4096, to: 8192 },
  SCRATCHPAD,
];
/** The tables of permutations and templates. */
const TABLES = { from: 12_288, to: 12_288 + 560 };

function openKernel() {
  const { exports } = new WebAssembly.Instance(new WebAssembly.Module(kernelOf('hashwx')));
  const { memory, generate, hash } = exports as unknown as {
    memory: { buffer: ArrayBuffer };
    generate: () => void;
    hash: (low: number, high: number) => number;
  };
  return { memory: new Uint8Array(memory.buffer), generate, hash };
}

const isIn = (at: number, { from, to }: { from: number; to: number }) => at >= from && at < to;

describe('the memory of the kernel', () => {
  const EXTREMES = [0x00, 0x01, 0x7f, 0x80, 0xff].map((byte) => new Uint8Array(32).fill(byte));
  const random = createRandom(3);
  const seeds = [...EXTREMES, ...Array.from({ length: 200 }, () => bytesOf(32, random))];

  test('has one page, which does not grow', () => {
    const { memory } = openKernel();
    expect(memory.length).toBe(PAGE);
  });

  test.each([0x00, 0xa5, 0xff])(
    'is written only where it should be, and its previous content (%p) does not affect the hash',
    (filler) => {
      const { memory, generate, hash } = openKernel();
      const tables = memory.slice(TABLES.from, TABLES.to);
      for (const seed of seeds) {
        memory.fill(filler);
        memory.set(tables, TABLES.from);
        memory.set(seed, SEED);
        const before = memory.slice();
        generate();
        for (const [low, high] of [
          [0, 0],
          [0xffffffff, 0xffffffff],
        ] as const) {
          // 256 writes of 64 bytes fill the scratchpad exactly.
          memory.fill(filler, SCRATCHPAD.from, SCRATCHPAD.to);
          const upper = hash(low, high) >>> 0;
          expect(upper).toBe(new DataView(memory.buffer).getUint32(36, true));
          const nonce = BigInt(low) | (BigInt(high) << 32n);
          if (EXTREMES.includes(seed)) expect(BigInt(upper)).toBe(createReference(seed)(nonce) >> 32n);
        }
        const wrong = memory.findIndex(
          (byte, at) => byte !== before[at] && !WRITTEN.some((range) => isIn(at, range)),
        );
        expect(wrong).toBe(-1);
      }
    },
  );

  test('is bounded for any instructions, also for those that no seed creates', () => {
    const { memory, generate, hash } = openKernel();
    generate();
    const bytes = createRandom(4);
    for (let i = 0; i < 500; i++) {
      // Offsets of registers are multiples of 8 up to 56; the other bytes are arbitrary.
      for (let at = 1024; at < 3072; at += 8) {
        memory.set([8 * bytes(8), 8 * bytes(8), ...bytesOf(6, bytes)], at);
      }
      const before = memory.slice();
      hash(i, bytes(2 ** 32));
      const wrong = memory.findIndex(
        (byte, at) => byte !== before[at] && !WRITTEN.some((range) => isIn(at, range)),
      );
      expect(wrong).toBe(-1);
    }
  });
});
