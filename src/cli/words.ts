import type { ParseArgsOptionsConfig } from 'node:util';

/** Ids are 22 characters of base64url: one in 64 begins with a dash. */
const ID_WITH_DASH = /^-[A-Za-z0-9_-]{21}$/;

/**
 * Brings ids that begin with a dash where `parseArgs` does not take them for options: `--org -x` becomes `--org=-x`,
 * and an operand goes behind `--`.
 *
 * @param options those of the command; their own names stay what they are
 */
export function protectIds(words: readonly string[], options: ParseArgsOptionsConfig): string[] {
  if (words.includes('--')) return [...words];
  const kept: string[] = [];
  const operands: string[] = [];
  for (const word of words) {
    if (!ID_WITH_DASH.test(word) || optionOf(word, options) !== undefined) {
      kept.push(word);
      continue;
    }
    const before = kept.at(-1) ?? '';
    if (optionOf(before, options)?.type === 'string') kept.splice(-1, 1, `${before}=${word}`);
    else operands.push(word);
  }
  return operands.length === 0 ? kept : [...kept, '--', ...operands];
}

function optionOf(word: string, options: ParseArgsOptionsConfig) {
  const name = word.slice(2);
  return word.startsWith('--') && Object.hasOwn(options, name) ? options[name] : undefined;
}
