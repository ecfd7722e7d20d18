import { expect, test } from 'bun:test';
import { anything, array, constantFrom, integer, json, oneof, property, record, string } from 'fast-check';
import { isWithin, parseAddress, parseCidr } from '../../src/lib/address.ts';
import { toAddressKey } from '../../src/lib/addressKey.ts';
import { parseRules, toWireRule } from '../../src/model/rules/parseRules.ts';
import { matchesPattern, parsePattern } from '../../src/model/rules/pattern.ts';
import { matchRules, newRules, toSource } from '../captcha/rules/rules.ts';
import { FUZZ_TIMEOUT_MS, holds } from './runs.ts';

const entry = oneof(
  string({ maxLength: 20 }),
  constantFrom('10.0.0.0/8', '::1/128', 'accept: *', '!dnt', 'DE', 'AS1', '/a*', 'hashwx', '**', '\\*', '\\'),
  anything(),
);
const list = oneof(array(entry, { maxLength: 4 }), string({ maxLength: 40 }), anything());
const conditions = record(
  {
    networks: list,
    user_agents: list,
    headers: list,
    countries: list,
    asns: list,
    paths: list,
    downgrades: list,
  },
  { requiredKeys: [] },
);
const rule = record(
  {
    id: oneof(constantFrom('0123456789abcdef'), anything()),
    name: oneof(string({ minLength: 1 }), anything()),
    enabled: anything(),
    action: oneof(constantFrom('allow', 'block', 'adjust', 'set'), anything()),
    levels: oneof(integer(), anything()),
    level: oneof(integer(), anything()),
    conditions: oneof(conditions, anything()),
  },
  { requiredKeys: [] },
);

test(
  'the parser accepts or rejects every value, and what it accepts stays the same',
  () => {
    holds(
      property(
        oneof(array(rule, { maxLength: 3 }), anything(), json()),
        constantFrom(true, false),
        (value, acceptsText) => {
          const parsed = parseRules(value, { acceptsText });
          if (!parsed.ok) {
            expect(parsed.errors.length).toBeGreaterThan(0);
            return;
          }
          const again = parseRules(JSON.parse(JSON.stringify(parsed.value.map(toWireRule))));
          expect(again).toEqual(parsed);
        },
      ),
    );
  },
  FUZZ_TIMEOUT_MS,
);

const letters = string({ unit: constantFrom('a', 'b', 'A', '*', 'ü', '.'), maxLength: 12 });

/** The meaning of a pattern as a regular expression, which the server does not use. */
function matchesExpression(pattern: string, text: string): boolean {
  const source = pattern.split('*').map(RegExp.escape).join('.*');
  return new RegExp(`^${source}$`, 's').test(text);
}

test(
  'patterns match the same texts as regular expressions, alone and in an index',
  () => {
    holds(
      property(array(letters, { minLength: 1, maxLength: 40 }), letters, (patterns, text) => {
        const parsed = patterns.map((pattern) => ({ pattern, result: parsePattern(pattern) }));
        const valid = parsed.flatMap(({ pattern, result }) =>
          result.ok && pattern !== '' ? [{ pattern, value: result.value }] : [],
        );
        for (const { pattern, value } of valid) {
          expect(matchesPattern(value, text)).toBe(matchesExpression(pattern, text));
        }
        const expected = valid.flatMap(({ pattern }, index) =>
          matchesExpression(pattern.toLowerCase(), text.toLowerCase()) ? [index] : [],
        );
        const rules = newRules(valid.map(({ pattern }) => ({ userAgents: [pattern] })));
        const unknown = { country: undefined, asn: undefined };
        expect(matchRules(rules, toSource({ userAgent: text }), unknown)).toEqual(expected);
      }),
    );
  },
  FUZZ_TIMEOUT_MS,
);

/** Addresses that often are in the same networks. */
const byte = constantFrom(0, 1, 127, 128, 255);
const ipv4 = array(byte, { minLength: 4, maxLength: 4 }).map((bytes) => bytes.join('.'));
const group = constantFrom('0', '1', '7fff', '8000', 'ffff');
const ipv6 = array(group, { minLength: 8, maxLength: 8 }).map((groups) => groups.join(':'));

test(
  'networks contain the same addresses alone and in an index',
  () => {
    const network = oneof(
      record({ address: ipv4, prefix: integer({ min: 0, max: 32 }) }),
      record({ address: ipv6, prefix: integer({ min: 0, max: 128 }) }),
    ).map(({ address, prefix }) => `${address}/${prefix}`);
    holds(
      property(array(network, { maxLength: 60 }), oneof(ipv4, ipv6), (networks, address) => {
        const bytes = parseAddress(address) ?? new Uint8Array();
        const masked = networks.filter((text) => parseCidr(text) !== undefined).map(maskOf);
        const expected = masked.flatMap((text, index) => {
          const block = parseCidr(text);
          return block !== undefined && isWithin(bytes, block) ? [index] : [];
        });
        const rules = newRules(masked.map((text) => ({ networks: [text] })));
        expect(matchRules(rules, toSource({ address }), { country: undefined, asn: undefined })).toEqual(
          expected,
        );
      }),
    );
  },
  FUZZ_TIMEOUT_MS,
);

/** Clears the bits outside the prefix. */
function maskOf(network: string): string {
  const block = parseCidr(network);
  if (block === undefined) throw new Error(network);
  const bytes = block.bytes.map(
    (value, at) => value & ~(0xff >> Math.min(8, Math.max(0, block.prefix - at * 8))),
  );
  const hex = bytes.toHex();
  const text = bytes.length === 4 ? bytes.join('.') : (hex.match(/.{4}/g) ?? []).join(':');
  return `${text}/${block.prefix}`;
}

test(
  'addresses are read in the same way with and without the fast path',
  () => {
    const text = oneof(
      ipv4,
      ipv6,
      string({ unit: constantFrom('0', '1', '2', '25', '256', '.', ':', 'f'), maxLength: 16 }),
    );
    holds(
      property(text, (address) => {
        const bytes = parseAddress(address);
        const key = toAddressKey(address);
        if (bytes === undefined) expect(key).toBeUndefined();
        else
          expect(
            [key ?? []]
              .flat()
              .map((word) => word.toString(16).padStart(8, '0'))
              .join(''),
          ).toBe(bytes.toHex());
      }),
    );
  },
  FUZZ_TIMEOUT_MS,
);
