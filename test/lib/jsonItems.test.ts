import { describe, expect, test } from 'bun:test';
import { splitItems } from '../../src/lib/json.ts';

const LIMITS = { tokens: 1000, depth: 8 };

function* inChunks(text: string, size: number) {
  const bytes = Buffer.from(text);
  // One buffer for all chunks, as when a file is read.
  const buffer = new Uint8Array(size);
  for (let at = 0; at < bytes.length; at += size) {
    const part = bytes.subarray(at, at + size);
    buffer.set(part);
    yield buffer.subarray(0, part.length);
  }
}

/** The items, and the rest with `{}` in the place of each item. */
function split(text: string, size: number) {
  const items: string[] = [];
  const rest: Uint8Array[] = [];
  const pieces = splitItems(inChunks(text, size), LIMITS);
  let next = pieces.next();
  for (; next.done !== true; next = pieces.next()) {
    const { isItem, bytes } = next.value;
    if (isItem) items.push(Buffer.from(bytes).toString());
    rest.push(isItem ? Buffer.from('{}') : bytes.slice());
  }
  return { items, rest: Buffer.concat(rest).toString(), exceeded: next.value };
}

const ITEMS = ['{"a":1}', '{"b":[{"c":"}]\\"{"}]}', '{"ü€😀":"\\\\"}', '{}'];
const document = (items: readonly string[]) =>
  `{"x":[1,{"y":["s",${items.join(' ,\n')},7],"z":{"w":[{}]}},{"y":[]}],"v":[[{"u":[{}]}]]}`;

describe('a JSON text is split into items and the rest', () => {
  test.each([1, 2, 3, 7, 64, 4096])('in chunks of %d bytes', (size) => {
    expect(split(document(ITEMS), size)).toEqual({
      items: ITEMS,
      rest: document(ITEMS.map(() => '{}')),
      exceeded: undefined,
    });
  });

  test.each([
    ['', []],
    ['{"x":[{"y":[{"a":1', []],
    [']]]]{"x":[{"y":[{}]}]}', []],
    ['{"x":[{"y":[{"a":]}', ['{"a":]']],
  ])('that is not valid: %s', (text, items) => {
    for (const size of [1, 5, 100]) {
      const found = split(text, size);
      expect(found.items).toEqual(items);
      expect(() => JSON.parse(found.rest)).toThrow();
    }
  });

  test('up to the limits', () => {
    expect(split('['.repeat(9), 2).exceeded).toBe('depth');
    expect(split('['.repeat(8), 2).exceeded).toBeUndefined();
    expect(split(','.repeat(1001), 2).exceeded).toBe('tokens');
    expect(split(`"${','.repeat(2000)}"`, 2).exceeded).toBeUndefined();
  });
});
