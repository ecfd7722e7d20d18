import { existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findCompiler } from '../../bench/clients/compile.ts';
import { toSource } from './generated.ts';

/** Compiles and runs the C implementations of HashWX. */

export type Native = {
  /** @returns the numbers that the program prints, line by line */
  readonly run: (...values: (string | number)[]) => readonly number[];
  /** @returns the text that the program prints */
  readonly output: (...values: (string | number)[]) => string;
};

export type NativeVariant = {
  readonly source: 'native.c' | 'gpu.cu';
  /** The programs of this seed are compiled. Otherwise, they are interpreted. */
  readonly seed?: Uint8Array;
  /** Number of hashes at a time. */
  readonly lanes?: 1 | 8;
};

/** @throws with the output of the compiler or of the program if it fails */
export function compileHashwx(folder: string, { source, seed, lanes = 1 }: NativeVariant): Native {
  const program = join(mkdtempSync(join(folder, 'hashwx-')), 'program');
  const options = ['-O3', '-w', '-I', import.meta.dir, ...(lanes === 8 ? ['-mavx512f', '-mavx512dq'] : [])];
  if (seed !== undefined) {
    writeFileSync(`${program}.h`, toSource(seed, lanes));
    options.push(`-DGENERATED="${program}.h"`);
  }
  textOf([findCompiler() ?? 'cc', ...options, '-o', program, '-x', 'c', join(import.meta.dir, source)]);
  const output = (...values: (string | number)[]) => textOf([program, ...values.map(String)]);
  return {
    output,
    run: (...values) =>
      output(...values)
        .trim()
        .split(/\s+/)
        .map(Number),
  };
}

function textOf(command: string[]): string {
  const { stdout, stderr, success } = Bun.spawnSync(command);
  if (!success) throw new Error(`${command.join(' ')}: ${stderr.toString()}`);
  return stdout.toString();
}

/** @returns whether the processor can run the variant with eight lanes */
export function hasAvx512(): boolean {
  const flags = existsSync('/proc/cpuinfo') ? readFileSync('/proc/cpuinfo', 'utf8').split(/\s+/) : [];
  return flags.includes('avx512f') && flags.includes('avx512dq');
}
