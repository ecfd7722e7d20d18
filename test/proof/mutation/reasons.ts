import { CAPTCHA } from './reasons/captcha.ts';
import { LEDGERS } from './reasons/ledgers.ts';
import { MODEL } from './reasons/model.ts';
import { PUZZLE } from './reasons/puzzle.ts';
import type { Reason } from './reasons/reason.ts';
import { SESSIONS } from './reasons/sessions.ts';

/** Mutants that no test can kill, or that no test should kill, with the reason. A test fails if a text no longer names a mutant. */
export const REASONS: readonly Reason[] = [...PUZZLE, ...CAPTCHA, ...MODEL, ...LEDGERS, ...SESSIONS];

/** @returns the entries that name no mutant of their file, as `file: text` */
export function staleReasons(
  reasons: readonly Reason[],
  textsOf: (file: string) => ReadonlySet<string>,
): readonly string[] {
  return reasons.flatMap(({ file, mutants }) => {
    const texts = textsOf(file);
    return mutants.filter((text) => !texts.has(text)).map((text) => `${file}: ${text}`);
  });
}
