import { done, type Outcome, reject } from '../../lib/outcome.ts';
import { RULE_LIMITS, type RuleProblem } from './rule.ts';

/**
 * A pattern that a whole text must match. `*` stands for any characters, also none; `\*` for an asterisk and `\\` for a backslash. The
 * parts are the texts between the asterisks: the text starts with the first and ends with the last one.
 */
export type Pattern = { readonly parts: readonly string[] };

type PatternProblem = Extract<RuleProblem, 'pattern-malformed' | 'wildcards-too-many'>;

/** @returns the pattern, or the problem and its position in the text */
export function parsePattern(text: string): Outcome<Pattern, PatternProblem> & { readonly offset?: number } {
  const parts: string[] = [];
  let part = '';
  for (let at = 0; at < text.length; at++) {
    const character = text.charAt(at);
    if (isUnprintable(text.charCodeAt(at))) return { ...reject('pattern-malformed'), offset: at };
    if (character === '*') {
      parts.push(part);
      part = '';
      if (parts.length > RULE_LIMITS.wildcards) return { ...reject('wildcards-too-many'), offset: at };
    } else if (character === '\\') {
      const escaped = text.charAt(at + 1);
      if (escaped !== '*' && escaped !== '\\') return { ...reject('pattern-malformed'), offset: at };
      part += escaped;
      at++;
    } else part += character;
  }
  return done({ parts: [...parts, part] });
}

/** C0 and C1 control characters. */
function isUnprintable(code: number): boolean {
  return code < 0x20 || (code >= 0x7f && code < 0xa0);
}

/**
 * @returns whether the whole text matches. Takes time proportional to the length of the text for each part, because each part is
 *   searched only after the end of the previous one
 */
export function matchesPattern({ parts }: Pattern, text: string): boolean {
  const last = parts.length - 1;
  const first = parts[0] as string;
  if (last === 0) return text === first;
  if (first !== '' && !text.startsWith(first)) return false;
  let from = first.length;
  for (let at = 1; at < last; at++) {
    const part = parts[at] as string;
    const found = text.indexOf(part, from);
    if (found < 0) return false;
    from = found + part.length;
  }
  const end = parts[last] as string;
  return end === '' || (text.length - end.length >= from && text.endsWith(end));
}

/** Maximum length of a path that is parsed. */
const PAGE_PATH_MAX_LENGTH = 2048;

/**
 * Returns the path of a page as rules see it: without query and fragment, with dot segments resolved, and with the characters that
 * browsers percent-encode. Undefined if the text is too long or does not start with exactly one slash.
 */
export function parsePagePath(text: string): string | undefined {
  if (text.length > PAGE_PATH_MAX_LENGTH || !/^\/(?![/\\])/.test(text)) return undefined;
  return URL.parse(text, 'http://localhost')?.pathname;
}
