import type { Mutate, Random } from './mutate.ts';

/** A parser, or several parsers of one format, and the properties that must hold for every input. */
export type Target = {
  readonly name: string;
  /** `text`: any UTF-16; `latin1`: a header, without line breaks in a value; `bytes`: each code unit is a byte. */
  readonly kind: 'text' | 'latin1' | 'bytes';
  /** Inputs to start with, most of them valid. */
  readonly seeds: readonly string[];
  /** Texts with a meaning in the format. String literals in the code of the parsers are added. */
  readonly tokens?: readonly string[];
  /** Maximum length of an input; 2,000 by default. */
  readonly maxLength?: number;
  /** The weight of this target when the runs are divided among all targets; 1 by default, and less for slow targets. */
  readonly share?: number;
  /** Maximum number of steps of an input: a constant, plus more for each character. @see DEFAULT_COST */
  readonly cost?: Cost;
  /** Mutates inputs so that more of them remain valid, for example within an encoding. */
  readonly mutate?: (input: string, other: string, mutate: Mutate, random: Random) => string;
  /**
   * Calls the parsers.
   *
   * @returns what they returned, whose size must be proportional to that of the input @throws if a property does not hold
   */
  readonly check: (input: string) => unknown;
};

/** Tokens of targets that read JSON. */
export const JSON_PUNCTUATION: readonly string[] = ['{', '}', '[', ']', ',', ':', '"'];

export type Cost = { readonly fixed: number; readonly perCharacter: number };

/** Enough for several passes over an input, and far below quadratic time for long inputs. */
export const DEFAULT_COST: Cost = { fixed: 20_000, perCharacter: 60 };

/** @throws Error with the message unless the condition is true */
export function must(condition: boolean, message: string): asserts condition {
  if (!condition) throw new Error(message);
}

/** @throws Error unless the values are deeply equal */
export function mustEqual(actual: unknown, expected: unknown, message: string): void {
  if (actual === expected || Bun.deepEquals(actual, expected)) return;
  throw new Error(`${message}: ${shown(actual)} instead of ${shown(expected)}`);
}

function shown(value: unknown): string {
  return (Bun.inspect(value) ?? '').slice(0, 500);
}

/** @returns the bytes of an input of the kind `bytes` */
export function toBytes(input: string): Uint8Array<ArrayBuffer> {
  return new Uint8Array(Buffer.from(input, 'latin1'));
}

/** @returns an input of the kind `bytes` */
export function fromBytes(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('latin1');
}
