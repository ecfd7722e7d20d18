import { describe, expect, test } from 'bun:test';
import { renderMarkdown } from '../../../build/documentation/markdown.ts';

const linked: string[] = [];
const options = {
  file: 'docs/how-to/a.md',
  pages: new Map([
    ['docs/how-to/a.md', 'how-to/a'],
    ['docs/README.md', ''],
    ['CHANGELOG.md', 'changelog'],
  ]),
  attached: new Map([
    ['deploy/x.conf', 'deploy/x.conf'],
    ['docs/images/y.png', 'images/y.png'],
  ]),
  isInRepository: (file: string) => file.startsWith('docs/project/'),
  onAttached: (file: string) => void linked.push(file),
};
const render = (text: string) =>
  renderMarkdown(`# Title\n\nThis page shows how to test.\n\n${text}\n`, options);

describe('a page in Markdown', () => {
  test('is split into its introduction and the rest', () => {
    const page = render('More.');
    expect([page.title, page.summary]).toEqual(['Title', 'Test.']);
    expect(page.intro).toContain('<h1>Title</h1>');
    expect(page.html.trim()).toBe('<p>More.</p>');
  });

  test('has anchors in the format of GitHub, and numbers for repeated headings', () => {
    const { toc, html } = render("## What's `new`?\n\n## A\n\n### Deep\n\n## A");
    expect(toc.map(({ anchor, depth }) => [anchor, depth])).toEqual([
      ['whats-new', 2],
      ['a', 2],
      ['deep', 3],
      ['a-1', 2],
    ]);
    expect(html).toContain('<h2 id="whats-new">');
  });

  test('links to served pages and files', () => {
    const { html } = render(
      '[a](#b) [index](../README.md) [log](../../CHANGELOG.md#x) [conf](../../deploy/x.conf) [out](https://example.com/)\n\n<img src="../images/y.png" alt="">',
    );
    for (const target of ['#b', '/docs', '/docs/changelog#x', '/docs/deploy/x.conf', 'https://example.com/'])
      expect(html).toContain(`href="${target}"`);
    expect(html).toContain('src="/docs/images/y.png"');
    expect(linked).toContain('deploy/x.conf');
  });

  test.each([
    ['[a](missing.md)', 'missing.md'],
    ['[a](../../src/main.ts)', '../../src/main.ts'],
    ['<img src="z.png">', 'z.png'],
  ])('that contains %p stops the build with a message that names the page and %p', (text, target) => {
    expect(() => render(text)).toThrow(
      `docs/how-to/a.md links to ${target}, which is not part of the documentation`,
    );
  });

  test('has highlighted code with its title, and an unknown language stops the build', () => {
    const { html } = render('```js title="a.js"\nconst a = "<b>";\n```');
    expect(html).toContain('<figcaption>a.js</figcaption>');
    expect(html).toContain('<span class="hljs-keyword">const</span>');
    expect(html).toContain('&lt;b&gt;');
    expect(() => render('```klingon\nx\n```')).toThrow();
  });

  test('has sections whose text contains no markup', () => {
    const { sections } = render(
      '## B\n\n**Bold** [link](#b) and `code`.\n\n| x | y |\n|---|---|\n| 1 | a \\| b |',
    );
    expect(sections).toEqual([
      { anchor: '', heading: 'Title', text: 'This page shows how to test.' },
      { anchor: 'b', heading: 'B', text: 'Bold link and code. x y 1 a | b' },
    ]);
  });
});
