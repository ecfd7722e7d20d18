import { expect, test } from 'bun:test';
import { visibleOf } from '../../src/lib/visible.ts';

test.each([
  ['ann@example.com', 'ann@example.com'],
  ['Zoë 測試 🔑', 'Zoë 測試 🔑'],
  ['\u001b[2Jroot', '\ufffd[2Jroot'],
  ['a\u009b2Jb\u0085c\nd', 'a\ufffd2Jb\ufffdc\ufffdd'],
  ['\u202egro.elpmaxe\u200b\u2028', '\ufffdgro.elpmaxe\ufffd\ufffd'],
])('%j is shown as %j', (text, shown) => {
  expect(visibleOf(text)).toBe(shown);
});
