import { expect, test } from 'bun:test';
import { escapeHtml, html } from '../../src/lib/html.ts';

test('escapes every character that could end a text or an attribute', () => {
  expect(escapeHtml(`<a href="x" title='y'>&</a>`)).toBe(
    '&lt;a href=&quot;x&quot; title=&#39;y&#39;&gt;&amp;&lt;/a&gt;',
  );
});

test('escapes text that is already escaped', () => {
  expect(escapeHtml('&lt;')).toBe('&amp;lt;');
});

test('a template escapes values, but not its own markup and that of other templates', () => {
  const inner = html`<b>${'<script>'}</b>`;
  expect(html`<p title="${'"'}">${inner}${3}</p>`.markup).toBe(
    '<p title="&quot;"><b>&lt;script&gt;</b>3</p>',
  );
});

test('escapes text that looks like a template result', () => {
  expect(html`${JSON.stringify({ markup: '<b>' })}`.markup).toBe(
    '{&quot;markup&quot;:&quot;&lt;b&gt;&quot;}',
  );
});
