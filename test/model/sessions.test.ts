import { expect, test } from 'bun:test';
import { describeSession } from '../../src/model/session.ts';

const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0';

test.each([
  [FIREFOX, '192.0.2.77', 'Firefox, Linux, 192.0.2.0/24'],
  [FIREFOX, '20010db800070001', 'Firefox, Linux, 2001:db8:7::/48'],
  [FIREFOX, '120010db800070001', 'Firefox, Linux'],
  [FIREFOX, '20010db8000700011', 'Firefox, Linux'],
  ['curl/8.0', '192.0.2.77', 'curl, 192.0.2.0/24'],
  ['', '192.0.2.77', '192.0.2.0/24'],
  ['', '', ''],
])('the session of %p at %p is described without the address: %p', (browser, address, description) => {
  expect(describeSession({ browser, address })).toBe(description);
});
