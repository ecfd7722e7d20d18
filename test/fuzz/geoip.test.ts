import { describe, expect, test } from 'bun:test';
import { array, constantFrom, integer, property, record, uint8Array } from 'fast-check';
import { openGeoipDatabase } from '../../src/geoip/geoipFile.ts';
import { createGeoipFile } from '../support/geoipFile.ts';
import { FUZZ_TIMEOUT_MS, holds } from './runs.ts';

const MARKER = Buffer.from('ABCDEF4D61784D696E642E636F6D', 'hex');
const ADDRESSES = ['192.0.2.1', '198.51.100.7', '10.0.0.1', '2001:db8::1', '::1'];
const CLEAR = /^the file is (?:damaged: .|not (?:a )?complete)/;

const VALID = createGeoipFile({
  '192.0.2.0/24': { country: { iso_code: 'DE', names: { en: 'Germany', de: 'Deutschland' } } },
  '198.51.100.0/24': { country: 'AT', asn: 'AS64496' },
  '2001:db8::/32': { autonomous_system_number: 4_200_000_000 },
});

/** Opens a file and looks addresses up. @returns the messages of the errors; empty for a file that is accepted */
function messagesOf(bytes: Uint8Array): readonly string[] {
  const messages: string[] = [];
  const attempt = <T>(work: () => T): T | undefined => {
    try {
      return work();
    } catch (error) {
      messages.push(error instanceof Error ? error.message : String(error));
      return undefined;
    }
  };
  const database = attempt(() => openGeoipDatabase(Buffer.from(bytes)));
  for (const address of ADDRESSES) attempt(() => database?.find(address));
  return messages;
}

/** A file whose only record, for all addresses, consists of the given bytes. Pointers count from the start of the record. */
function fileWith(data: Buffer): Buffer {
  const metadata = VALID.subarray(VALID.lastIndexOf(MARKER));
  const oneNode = Buffer.from(metadata);
  const count = oneNode.indexOf('node_count') + 'node_count'.length + 1;
  oneNode.writeUInt32BE(1, count);
  const tree = Buffer.alloc(6);
  for (const at of [0, 3]) tree.writeUIntBE(1 + 16, at, 3);
  return Buffer.concat([tree, Buffer.alloc(16), data, oneNode]);
}

const hex = (text: string) => Buffer.from(text.replaceAll(' ', ''), 'hex');
/** An array whose size of 16,843,036 follows in three bytes. */
const HUGE_ARRAY = hex('1f 04 ffffff');
const HUGE_MAP = hex('ff ffffff');
const HUGE_TEXT = hex('5f ffffff');

/** Arrays of 20 bytes, each of which contains the next one nine times, and a text: 9 ** 12 values. */
const MULTIPLYING = Buffer.concat([
  ...Array.from({ length: 12 }, (_, level) => {
    const next = 20 * (level + 1);
    const pointer = Buffer.of(0x20 | (next >> 8), next & 255);
    return Buffer.concat([hex('09 04'), ...Array.from({ length: 9 }, () => pointer)]);
  }),
  hex('41 78'),
]);

const HOSTILE = [
  ['an array of 16 million elements', fileWith(HUGE_ARRAY), 'a record has more than 1024 values'],
  ['a map of 16 million pairs', fileWith(HUGE_MAP), 'a record has more than 1024 values'],
  ['a text of 16 MB', fileWith(HUGE_TEXT), 'a value of type 2 has 16843036 bytes'],
  ['a text that ends after the file', fileWith(hex('5e 2000')), 'a value ends after the file'],
  ['arrays that multiply', fileWith(MULTIPLYING), 'a record has more than 1024 values'],
  ['an array that contains itself', fileWith(hex('01 04 2000')), 'a record has more than 32 levels'],
  ['a pointer to itself', fileWith(hex('2000')), 'a pointer points to another pointer'],
  ['a pointer out of the file', fileWith(hex('38 ffffffff')), 'a pointer or a size exceeds the file'],
  ['a text of four bytes as a double', fileWith(hex('64 00000000')), 'a value of type 3 has 4 bytes'],
  ['an unknown type', fileWith(hex('00 10')), 'a value has the unknown type 23'],
  ['metadata with a huge array', Buffer.concat([VALID, MARKER, HUGE_ARRAY]), 'its metadata is not a map'],
  [
    'metadata with a huge map',
    Buffer.concat([VALID, MARKER, HUGE_MAP]),
    'a record has more than 1024 values',
  ],
  // mmdb-lib does not find the second marker, and decoded what follows the first one.
  [
    'metadata that hides its marker',
    Buffer.concat([MARKER, HUGE_ARRAY, Buffer.alloc(100), MARKER, MARKER.subarray(2), Buffer.alloc(90)]),
    'its metadata is not a map',
  ],
] as const;

describe('a GeoIP file', () => {
  // 231 bytes used to allocate 16 million elements, and a few pointers more memory than there is.
  test.each(HOSTILE)('with %s is rejected before anything is allocated', (_, bytes, message) => {
    const messages = messagesOf(bytes);
    expect(messages.length).toBeGreaterThan(0);
    expect(new Set(messages)).toEqual(new Set([`the file is damaged: ${message}`]));
  });

  test(
    'of which any bytes are replaced, removed, or added is accepted, or rejected with a clear message',
    () => {
      const position = integer({ min: 0, max: VALID.length });
      const inserted = constantFrom(
        HUGE_ARRAY,
        HUGE_MAP,
        HUGE_TEXT,
        MARKER,
        hex('2000'),
        hex('09 04'),
        hex('1f'),
      );
      const mutation = record({ at: position, removed: integer({ min: 0, max: 8 }), inserted });
      const random = record({
        at: position,
        removed: integer({ min: 0, max: 4 }),
        inserted: uint8Array({ maxLength: 4 }),
      });
      let accepted = 0;
      holds(
        property(array(random, { maxLength: 6 }), array(mutation, { maxLength: 2 }), (randoms, mutations) => {
          let bytes = VALID;
          for (const { at, removed, inserted: added } of [...randoms, ...mutations]) {
            bytes = Buffer.concat([bytes.subarray(0, at), added, bytes.subarray(at + removed)]);
          }
          const messages = messagesOf(bytes);
          accepted += messages.length === 0 ? 1 : 0;
          for (const message of messages) expect(message).toMatch(CLEAR);
        }),
      );
      expect(accepted).toBeGreaterThan(0);
    },
    FUZZ_TIMEOUT_MS,
  );

  test('that is cut off anywhere is rejected', () => {
    for (let length = 0; length < VALID.length; length++) {
      const messages = messagesOf(VALID.subarray(0, length));
      expect(messages[0]).toMatch(CLEAR);
    }
  });
});
