import { describe, expect, test } from 'bun:test';
import { posix } from 'node:path';
import { filesAt, ROOT, textOf } from './tree.ts';

/** What every page of the documentation has in common. */

const pages = filesAt('docs/**/*.md').filter((page) => page !== 'docs/README.md');

test('the index links to every page', async () => {
  const index = await textOf('docs/README.md');
  const linked = [...index.matchAll(/\]\(([^)#]+)/g)].map(([, target = '']) => posix.join('docs', target));
  expect(pages.filter((page) => !linked.includes(page))).toEqual([]);
});

test('every page starts with one sentence that states its purpose', async () => {
  const wrong: string[] = [];
  for (const page of ['README.md', 'docs/README.md', ...pages]) {
    if (page.startsWith('docs/project/decisions/')) continue;
    const [, first = ''] = (await textOf(page)).split(/\n{2,}/);
    const isPurpose = /^(This page |In this tutorial, |Postern is )/.test(first);
    const isOneSentence = /\.$/.test(first) && !/\.\s/.test(first.slice(0, -1));
    if (!isPurpose || !isOneSentence) wrong.push(`${page}: ${first}`);
  }
  expect(wrong).toEqual([]);
});

describe('the pictures', () => {
  const pictures = filesAt('docs/images/*.png');

  test('show the widget, the dashboard, and the Swagger page in light and dark', () => {
    const names = ['dashboard', 'swagger', 'widget'].flatMap((name) => [
      `docs/images/${name}-dark.png`,
      `docs/images/${name}-light.png`,
    ]);
    expect(pictures).toEqual(names);
  });

  test('are PNG files of at most 1280 pixels, and together smaller than 1.5 MB', async () => {
    let total = 0;
    for (const picture of pictures) {
      const bytes = Buffer.from(await Bun.file(posix.join(ROOT, picture)).arrayBuffer());
      expect([picture, bytes.subarray(1, 4).toString()]).toEqual([picture, 'PNG']);
      expect(bytes.readUInt32BE(16)).toBeLessThanOrEqual(1280);
      total += bytes.length;
    }
    expect(total).toBeLessThan(1_500_000);
  });

  test('of the README move, twice, and each is smaller than 1 MB', async () => {
    const moving = filesAt('docs/images/*.webp');
    expect(moving).toEqual(['docs/images/tour-dark.webp', 'docs/images/tour-light.webp']);
    for (const picture of moving) {
      const bytes = Buffer.from(await Bun.file(posix.join(ROOT, picture)).arrayBuffer());
      expect([picture, bytes.length < 1_000_000]).toEqual([picture, true]);
      // The chunk of an animation: its size, its background, and how often it plays.
      const chunk = bytes.indexOf('ANIM');
      expect([picture, bytes.readUInt16LE(chunk + 12)]).toEqual([picture, 2]);
    }
  });

  test('and the plots are used by pages, which use no other', async () => {
    const used = new Set<string>();
    for (const page of [...filesAt('*.md'), ...filesAt('docs/**/*.md')]) {
      for (const [, target = ''] of (await textOf(page)).matchAll(
        /\b(?:src|srcset)="([^"]+\.(?:png|svg|webp))"/g,
      ))
        used.add(posix.join(posix.dirname(page), target));
    }
    expect([...used].sort()).toEqual([...filesAt('docs/images/*')]);
  });
});
