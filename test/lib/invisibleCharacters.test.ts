import { expect, test } from 'bun:test';
import { replaceInvisible } from '../../src/lib/invisibleCharacters.ts';

test.each([
  ['ann@example.com', 'ann@example.com'],
  ['Zoë 測試 🔑', 'Zoë 測試 🔑'],
  ['\u001b[2Jroot', '\ufffd[2Jroot'],
  ['a\u009b2Jb\u0085c\nd', 'a\ufffd2Jb\ufffdc\ufffdd'],
  ['\u202egro.elpmaxe\u200b\u2028', '\ufffdgro.elpmaxe\ufffd\ufffd'],
])('%j is shown as %j', (text, shown) => {
  expect(replaceInvisible(text)).toBe(shown);
});
