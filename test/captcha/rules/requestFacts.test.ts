import { describe, expect, test } from 'bun:test';
import { createRequestFacts } from '../../../src/captcha/rules/requestFacts.ts';

const FACTS = { country: 'DE', asn: 64_496 } as never;

/** Facts of a request, and how often its parts were read. */
function open(given: { address?: string; header?: string | null; path?: string }) {
  const reads = { address: 0, header: 0, geoip: 0 };
  const facts = createRequestFacts(() => {
    reads.geoip++;
    return FACTS;
  });
  const source = {
    address() {
      reads.address++;
      return given.address;
    },
    header() {
      reads.header++;
      return given.header ?? null;
    },
    path: () => given.path,
  };
  facts.begin(source);
  return { facts, reads, source };
}

describe('the facts of a request', () => {
  test('are read at most once', () => {
    const { facts, reads } = open({ address: '192.0.2.1', header: 'curl' });
    expect(facts.address()).toEqual(facts.address() as never);
    expect([facts.userAgent(), facts.userAgent()]).toEqual(['curl', 'curl']);
    expect([facts.geoip(), facts.geoip()]).toEqual([FACTS, FACTS]);
    // Once for the address, and once for its country.
    expect(reads).toEqual({ address: 2, header: 1, geoip: 1 });
  });

  test('do not include those of the previous request', () => {
    const { facts, reads } = open({ address: '192.0.2.1', header: 'curl' });
    const before = facts.address();
    expect([facts.userAgent(), facts.geoip()]).toEqual(['curl', FACTS] as never);
    facts.begin({ address: () => '192.0.2.2', header: () => null, path: () => undefined });
    expect(facts.address()).not.toEqual(before as never);
    expect(facts.userAgent()).toBe('');
    facts.geoip();
    expect(reads.geoip).toBe(2);
  });

  test('have no address if it is unknown or invalid', () => {
    const unknown = open({});
    expect([unknown.facts.address(), unknown.facts.address()]).toEqual([undefined, undefined]);
    expect(unknown.reads.address).toBe(1);
    const invalid = open({ address: 'nowhere' });
    expect([invalid.facts.address(), invalid.facts.address()]).toEqual([undefined, undefined]);
    expect(invalid.reads.address).toBe(1);
  });

  test('have the first 1024 characters of a text', () => {
    for (const length of [1023, 1024, 1025, 5000]) {
      const text = 'a'.repeat(length);
      const expected = 'a'.repeat(Math.min(length, 1024));
      const { facts } = open({ header: text, path: text });
      expect([facts.header('x'), facts.userAgent(), facts.path()]).toEqual([expected, expected, expected]);
    }
    const { facts } = open({});
    expect([facts.header('x'), facts.userAgent(), facts.path()]).toEqual([undefined, '', undefined]);
  });
});
