import { growthExponent, LINEAR_MAX } from '../../../support/growth.ts';
import { createRandom } from '../../../support/random.ts';
import type { Failure } from './engine.ts';
import type { Target } from './target.ts';

/** The number of inputs of a target that are made longer. */
const MAX_INPUTS = 24;

/**
 * Repeats a part of each input to make it longer, and estimates how the processor time of the parsers grows with the length. Counted
 * steps do not include the time in regular expressions and other built-in functions.
 *
 * @returns the first input whose time grows clearly faster than its length
 */
export async function findSlowest(target: Target, corpus: readonly string[]): Promise<Failure | undefined> {
  const random = createRandom(1);
  for (let count = 0; count < MAX_INPUTS && corpus.length > 0; count++) {
    const input = corpus[random(corpus.length)] ?? '';
    const from = random(input.length + 1);
    const part = input.slice(from, from + 1 + random(8));
    if (part === '') continue;
    const longer = (size: number) =>
      input.slice(0, from) + part.repeat(Math.ceil(size / part.length)) + input.slice(from + part.length);
    if (target.check(input) instanceof Promise) return undefined;
    const message = await problemOf(target, longer);
    if (message !== undefined) return { input: longer(100), message, stack: '' };
  }
  return undefined;
}

async function problemOf(target: Target, longer: (size: number) => string): Promise<string | undefined> {
  try {
    const exponent = await growthExponent((size) => {
      const text = longer(size);
      return () => target.check(text);
    });
    return exponent < LINEAR_MAX
      ? undefined
      : `the time grows with the power ${exponent.toFixed(2)} of the length`;
  } catch (error) {
    return `a longer input: ${String(error)}`;
  }
}
