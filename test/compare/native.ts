import { createArgon2idHash } from '../../src/server/argon2id/hash.ts';
import type { Lab } from '../bench/harness/lab.ts';
import { type Row, toRow } from '../bench/harness/row.ts';
import { compileNative as compileArgon2id } from '../bench/parts/argon2id.ts';
import { compileNative as compileBlake2b } from '../bench/parts/solver.ts';

/** Hash rates of one core with native code, as an attacker would use it. */
export type Native = {
  /** The fastest variant that the processor supports. */
  readonly blake2b: Row;
  /** The faster of two implementations. */
  readonly argon2id: Row;
};

const HASHES = 20;

/** @returns hashes per second, one value for each window */
async function windowsOf(count: number, window: () => Promise<number>): Promise<number[]> {
  const values: number[] = [];
  for (let i = 0; i < count; i++) values.push(await window());
  return values;
}

/** @returns the row with the highest value @throws without rows */
function fastestOf(rows: readonly Row[]): Row {
  const [fastest] = rows.toSorted((a, b) => b.value - a.value);
  if (fastest === undefined) throw new Error('nothing was compiled');
  return fastest;
}

/** @throws BenchError if no C compiler is installed */
export async function measureNative({ folder }: Lab, windows: number): Promise<Native> {
  const unit = 'hashes/s';
  const blake2b: Row[] = [];
  for (const { name, rate } of compileBlake2b(folder))
    blake2b.push(toRow({ name, unit, values: await windowsOf(windows, async () => (await rate()) * 1e6) }));
  const argon2id: Row[] = [];
  for (const { name, time } of compileArgon2id(folder))
    argon2id.push(toRow({ name, unit, values: await windowsOf(windows, async () => 1000 / (await time())) }));
  const hash = await createArgon2idHash();
  const block = crypto.getRandomValues(new Uint8Array(128));
  const library = await windowsOf(windows, async () => {
    const startedAt = performance.now();
    for (let i = 0; i < HASHES; i++) hash(block);
    return (1000 * HASHES) / (performance.now() - startedAt);
  });
  argon2id.push(toRow({ name: '@node-rs/argon2', unit, values: library }));
  return { blake2b: fastestOf(blake2b), argon2id: fastestOf(argon2id) };
}
