import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { WIDGET_CHOICES } from '../../../src/lib/widgetChoices.ts';
import { addProperty, addPropertyOwner, propertyPath } from '../../support/propertyOwner.ts';
import { startServer, type TestServer } from '../../support/server.ts';

let server: TestServer;
let browser: Awaited<ReturnType<typeof addPropertyOwner>>['browser'];
let path: string;
let sitekey: string;
beforeAll(async () => {
  server = await startServer();
  const owner = await addPropertyOwner(server);
  const property = await addProperty(server, owner, { level: 77 });
  browser = owner.browser;
  sitekey = property.sitekey;
  path = `${propertyPath(server, owner, property)}/integration/design`;
});
afterAll(() => server.stop());

async function show(query: string) {
  const { status, text } = await browser.get(`${path}?${query}`);
  const [, code = ''] = /id="snippet-design"[^>]*>([\s\S]*?)<\/pre>/.exec(text) ?? [];
  const [widget = ''] = /<div class="postern-captcha"[^>]*>/.exec(text) ?? [];
  const plain = code
    .replace(/<[^>]*>/g, '')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"');
  return { status, text, code: plain, widget };
}

describe('the designer of the widget', () => {
  test('shows the widget and the code of the integration page at first', async () => {
    const { code, widget } = await show('');
    expect(code).toContain(
      `<div class="postern-captcha" data-sitekey="${sitekey}"\n  data-theme="auto"></div>`,
    );
    expect(widget).toContain('data-puzzle-endpoint="/portal/playground/puzzle?level=77"');
    expect(widget).toContain('data-theme="auto"');
    expect(widget).not.toContain('data-display-mode');
  });

  test('writes the options of the query into both, and omits defaults of the widget', async () => {
    const { code, widget, text } = await show('mode=inline&theme=light&start=click&width=28rem&language=de');
    const attributes = [
      'data-display-mode="inline"',
      'data-start-mode="click"',
      'data-styles="--postern-width: 28rem"',
      'data-lang="de"',
    ];
    expect(code).toContain(`data-sitekey="${sitekey}"\n  ${attributes.join('\n  ')}></div>`);
    for (const attribute of attributes) expect(widget).toContain(attribute);
    expect(widget).not.toContain('data-theme');
    expect(text).toContain('<option value="inline" selected="">One line of text</option>');
    expect(text).toMatch(/<option value="de"[^>]* selected="">/);
  });

  test('ignores unknown values', async () => {
    const { status, code } = await show('mode=x&theme=%22%3E&start=&width=1px&language=constructor&other=1');
    expect([status, code]).toEqual([200, (await show('')).code]);
  });

  test('has the values that the reference of the widget lists, with the same defaults', async () => {
    const page = await Bun.file('docs/reference/widget.md').text();
    for (const [name, values] of Object.entries<readonly string[]>(WIDGET_CHOICES)) {
      const attribute = `data-${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
      const row = page.split('\n').find((line) => line.startsWith(`| \`${attribute}\` `)) ?? '';
      const [, , standard = '', meaning = ''] = row.split('|');
      expect([attribute, standard.trim()]).toEqual([attribute, `\`${values[0]}\``]);
      for (const value of values) expect([value, meaning.includes(`\`${value}\``)]).toEqual([value, true]);
    }
  });
});
