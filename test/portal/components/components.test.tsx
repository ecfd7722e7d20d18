import { describe, expect, test } from 'bun:test';
import { render } from '../../../src/jsx/runtime.ts';
import { ConfirmByName } from '../../../src/portal/components/form.tsx';
import { Pager, Table } from '../../../src/portal/components/sections.tsx';
import { addressName, browserName } from '../../../src/portal/components/values.tsx';
import type { Visit } from '../../../src/portal/kit/handler.ts';

describe('a pager', () => {
  const pathOf = (page: number) => `/portal/x?page=${page}`;
  test.each([
    [0, false, []],
    [0, true, ['/portal/x?page=1']],
    [1, true, ['/portal/x?page=0', '/portal/x?page=2']],
    [3, false, ['/portal/x?page=2']],
  ])('on page %d with more: %p links to %j', (page, hasMore, links) => {
    const markup = render(<Pager page={page} hasMore={hasMore} pathOf={pathOf} />);
    expect([...markup.matchAll(/href="([^"]*)"/g)].map(([, href]) => href ?? '')).toEqual(links);
  });
});

test('a form for an irreversible action asks for the name, escaped, and contains its token', () => {
  const markup = render(
    <ConfirmByName
      visit={{ formToken: 'token' } as Visit}
      action="/portal/x"
      name={'A & "B"'}
      warning="It is gone then."
      button="Delete"
      cancelPath="/portal/back"
      errors={[{ field: 'typed_name', text: 'Not the name.' }]}
    />,
  );
  expect(markup).toContain('name="form_token" value="token"');
  expect(markup).toContain('Type “A &amp; &quot;B&quot;” to confirm');
  expect(markup).toContain('aria-invalid="true" aria-describedby="typed_name-error"');
  expect(markup).toContain('<a class="button quiet" href="/portal/back">Cancel</a>');
});

test('a table without rows shows a sentence', () => {
  const markup = render(<Table caption="Things" head={['Name']} rows={[]} empty="No things." />);
  expect(markup).toContain('No things.');
  expect(markup).not.toContain('<table');
});

test.each([
  ['192.0.2.1', '192.0.2.1'],
  ['20010db800000001', '2001:db8:0:1::/64'],
  ['', ''],
])('the address %p is shown as %p', (address, shown) => {
  expect(addressName(address)).toBe(shown);
});

test.each([
  [
    'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 Chrome/140.0 Safari/537.36 Edg/140.0',
    'Edge on Windows',
  ],
  [
    'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1 Version/18.0 Safari/605.1',
    'Safari on macOS',
  ],
  [
    'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1 CriOS/140.0 Safari/604.1',
    'Chrome on iOS',
  ],
  [
    'Mozilla/5.0 (Linux; Android 15) AppleWebKit/537.36 Chrome/140.0 Mobile Safari/537.36',
    'Chrome on Android',
  ],
  ['Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0', 'Firefox on Linux'],
  ['curl/8.5.0', 'curl'],
  ['<script>', 'Unknown browser'],
  ['', 'Unknown browser'],
])('the browser %p is called %p', (agent, name) => {
  expect(browserName(agent)).toBe(name);
});
