import type { ApiKeyId } from '../model/apiKey.ts';
import type { OrganizationId } from '../model/organization.ts';
import type { Scope } from '../model/ports/statistics.ts';
import type { RuleId } from '../model/rules/rule.ts';
import { COUNTS_SIZE, type Counts } from '../model/statistics.ts';

/** The id of requests without a known property in the tables of statistics. */
export const INSTALLATION = 0;

/** The id of the counts of all properties. */
export const ALL_PROPERTIES = Number.MIN_SAFE_INTEGER;

/** @returns the id of an organization in the tables of statistics */
export function idOfOrganization(id: OrganizationId): number {
  return -id;
}

/** The ids of API keys begin below those of organizations, and the ids of rules below those of API keys. */
const [KEYS, RULES] = [2 ** 51, 2 ** 52];
/** Last hexadecimal digits of the id of a rule: 48 bits. Two of 10,000 rules have the same ones with a probability of 2 in 10 million. */
const RULE_DIGITS = 12;

/** @returns the id of an API key in the tables of statistics */
export function idOfKey(id: ApiKeyId): number {
  return -(KEYS + id);
}

/** @returns the id of a rule in the tables of statistics, derived from the random id of the rule */
export function idOfRule(id: RuleId): number {
  return -(RULES + Number.parseInt(id.slice(-RULE_DIGITS), 16));
}

/** @returns the ids in the tables of statistics whose counts together are those of a scope */
export function idsOfScope(scope: Scope): readonly number[] {
  if (scope === 'all') return [ALL_PROPERTIES, INSTALLATION];
  if (scope === 'none') return [INSTALLATION];
  if ('key' in scope) return [idOfKey(scope.key)];
  if ('rule' in scope) return [idOfRule(scope.rule)];
  return ['property' in scope ? scope.property : idOfOrganization(scope.organization)];
}

/**
 * Encodes counts. Each count that is not zero becomes the distance of its position from the previous one (the first: from -1) and
 * its value, both as unsigned LEB128 (DWARF 5, section 7.6). Most counts are zero: an hour of a typical property takes 10 to 30
 * bytes.
 */
export function encodeCounts(counts: Counts): Uint8Array {
  const bytes: number[] = [];
  let last = -1;
  for (let position = 0; position < counts.length; position++) {
    const count = counts[position] as number;
    if (count === 0) continue;
    writeVarint(bytes, position - last);
    writeVarint(bytes, count);
    last = position;
  }
  return new Uint8Array(bytes);
}

/** Decodes counts. @throws RangeError if the bytes are invalid or contain a position that only a newer Postern knows */
export function decodeCounts(bytes: Uint8Array): Float64Array {
  const counts = new Float64Array(COUNTS_SIZE);
  let at = 0;
  let position = -1;
  function read(): number {
    let value = 0;
    for (let scale = 1; ; scale *= 128) {
      const byte = bytes[at++];
      if (byte === undefined) throw new RangeError('the encoded counts are incomplete');
      value += (byte & 127) * scale;
      if (value > Number.MAX_SAFE_INTEGER || scale > Number.MAX_SAFE_INTEGER)
        throw new RangeError('a number in the encoded counts is too large');
      if (byte < 128) return value;
    }
  }
  while (at < bytes.length) {
    position += read();
    if (position >= COUNTS_SIZE) throw new RangeError(`the counts have no position ${position}`);
    counts[position] = read();
  }
  return counts;
}

/** Divides instead of shifting, because the counts of a day can have more than 32 bits. */
function writeVarint(bytes: number[], value: number): void {
  while (value >= 128) {
    bytes.push((value % 128) | 128);
    value = Math.floor(value / 128);
  }
  bytes.push(value);
}
