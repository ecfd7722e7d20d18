import { hasHostBits, toNetworkKey, wordsOf } from '../../lib/addressKey.ts';
import { done, type Outcome, reject } from '../../lib/outcome.ts';
import { isCountry } from './countries.ts';
import { parsePattern } from './pattern.ts';
import { type Downgrade, downgradeOf, type RuleCondition, type RuleProblem } from './rule.ts';

/** A parsed entry of a condition, and a key that equal entries have in common; or a problem and its position in the entry. */
export type ParsedEntry<Value extends string | number> =
  | { readonly ok: true; readonly value: Value; readonly key: string }
  | { readonly ok: false; readonly problem: RuleProblem; readonly offset?: number };

type EntryOf<Condition extends RuleCondition> = Condition extends 'asns'
  ? number
  : Condition extends 'downgrades'
    ? Downgrade
    : string;

/** The parsers of entries. Texts are trimmed and not empty. */
export const ENTRY_PARSERS: {
  readonly [Condition in RuleCondition]: (text: string) => ParsedEntry<EntryOf<Condition>>;
} = {
  networks: parseNetwork,
  userAgents: parseUserAgent,
  headers: parseHeader,
  countries(text) {
    const code = text.toUpperCase();
    return isCountry(code) ? { ...done(code), key: code } : { ...reject('country-unknown'), offset: 0 };
  },
  asns(text) {
    const digits = /^(?:as)?(\d{1,10})$/i.exec(text)?.[1];
    const asn = Number(digits ?? 0);
    return isAsn(asn) ? { ...done(asn), key: String(asn) } : { ...reject('asn-malformed'), offset: 0 };
  },
  paths(text) {
    const query = text.search(/[?#]/);
    if (query >= 0) return { ...reject('path-malformed'), offset: query };
    if (!/^[/*]/.test(text)) return { ...reject('path-malformed'), offset: 0 };
    const pattern = parsePattern(text);
    return pattern.ok ? { ...done(text), key: text } : pattern;
  },
  downgrades(text) {
    const kind = downgradeOf(text.toLowerCase());
    return kind ? { ...done(kind), key: kind } : { ...reject('downgrade-unknown'), offset: 0 };
  },
};

/** The largest number is reserved (RFC 7300). */
export function isAsn(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 1 && value < 2 ** 32 - 1;
}

function parseNetwork(text: string): ParsedEntry<string> {
  const network = text.includes('%') ? undefined : toNetworkKey(text);
  if (network === undefined) return { ...reject('network-malformed'), offset: 0 };
  if (hasHostBits(network)) return { ...reject('network-has-host-bits'), offset: 0 };
  return { ...done(text.toLowerCase()), key: `${wordsOf(network.at).join('.')}/${network.prefix}` };
}

function parseUserAgent(text: string): ParsedEntry<string> {
  const pattern = parsePattern(text);
  return pattern.ok ? { ...done(text), key: text.toLowerCase() } : pattern;
}

/** A condition on one header; undefined stands for a missing header. */
export type HeaderEntry = {
  readonly name: string;
  readonly pattern: string | undefined;
  readonly patternAt: number;
};

// RFC 9110, section 5.1: a token. None of the registered names starts with an exclamation mark.
const MISSING_HEADER = /^!\s*([\w#$%&'*+.^`|~-]+)$/;
const HEADER = /^([\w#$%&'*+.^`|~-]+)\s*:\s*/;

/** The headers that contain credentials: counting hits would let the author of a rule guess them. */
const CREDENTIALS: ReadonlySet<string> = new Set([
  'authorization',
  'cookie',
  'proxy-authorization',
  'x-api-key',
]);

/** Splits `name: pattern` or `!name`. The name is in lowercase. */
export function splitHeader(text: string): Outcome<HeaderEntry, 'header-malformed'> {
  const missing = MISSING_HEADER.exec(text)?.[1];
  if (missing !== undefined) return done({ name: missing.toLowerCase(), pattern: undefined, patternAt: 0 });
  const [start, name] = HEADER.exec(text) ?? [];
  if (start === undefined || name === undefined || start.length === text.length)
    return reject('header-malformed');
  return done({ name: name.toLowerCase(), pattern: text.slice(start.length), patternAt: start.length });
}

function parseHeader(text: string): ParsedEntry<string> {
  const header = splitHeader(text);
  if (!header.ok) return { ...header, offset: 0 };
  const { name, pattern, patternAt } = header.value;
  if (CREDENTIALS.has(name)) return { ...reject('header-not-accepted'), offset: 0 };
  if (pattern === undefined) return { ...done(`!${name}`), key: `!${name}` };
  const parsed = parsePattern(pattern);
  if (!parsed.ok) return { ...parsed, offset: patternAt + (parsed.offset ?? 0) };
  return { ...done(`${name}: ${pattern}`), key: `${name}: ${pattern.toLowerCase()}` };
}
