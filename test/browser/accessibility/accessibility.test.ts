import { describe, expect, test } from 'bun:test';
import { BROWSER } from '../../browsers.ts';
import type { Tab } from '../../support/browser.ts';
import type { MediaFeature } from '../../support/browsers/view.ts';
import { BOX, BUTTON, isIn } from '../fixture.ts';
import { MORE_RULES } from '../portal/screens.ts';
import { type Options, STATES, useStates } from './states.ts';

const AXE = await Bun.file(new URL(import.meta.resolve('axe-core/axe.min.js'))).text();

const states = useStates();

const prefers = (value: string) => [{ name: 'prefers-color-scheme', value }];

type Appearance = { readonly media: readonly MediaFeature[]; readonly options?: Options };

const APPEARANCES: Readonly<Record<string, Appearance>> = {
  light: { media: prefers('light') },
  'light, although the visitor prefers dark': { media: prefers('dark') },
  dark: { media: prefers('light'), options: { theme: 'dark', page: 'dark' } },
  'dark by preference': { media: prefers('dark'), options: { theme: 'auto', page: 'dark' } },
  inline: { media: prefers('light'), options: { mode: 'inline' } },
  'inline and dark': { media: prefers('light'), options: { mode: 'inline', theme: 'dark', page: 'dark' } },
  'a popup': { media: prefers('light'), options: { mode: 'popup' } },
  'a dark popup': { media: prefers('light'), options: { mode: 'popup', theme: 'dark' } },
  'reduced motion': { media: [{ name: 'prefers-reduced-motion', value: 'reduce' }] },
  // WebKit has no forced colors.
  ...(BROWSER === 'webkit'
    ? {}
    : { 'forced colors': { media: [{ name: 'forced-colors', value: 'active' }] } }),
};

type Violation = { readonly id: string; readonly nodes: readonly { readonly html: string }[] };

/** @returns the violations that axe-core finds on the page, including shadow roots: WCAG 2.2 A and AA, and best practices */
async function violationsOf(page: Tab): Promise<readonly string[]> {
  await page.run(AXE);
  const found = await page.evaluate<readonly Violation[]>(
    `axe.run(document, { resultTypes: ["violations"], rules: ${MORE_RULES} }).then(({ violations }) => violations)`,
  );
  return found.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`);
}

describe.each(STATES)('a widget in the state %s', (state) => {
  test.each(Object.entries(APPEARANCES))(
    'has no violations according to axe-core: %s',
    async (_, { media, options = {} }) => {
      const page = await states[state](options);
      await page.setMedia(media);
      expect(await violationsOf(page)).toEqual([]);
      // The state did not change during the analysis.
      expect(await page.evaluate<boolean>(isIn(state))).toBe(true);
    },
  );
});

test('axe-core finds a control without a name inside the widget', async () => {
  const page = await states.idle({});
  await page.evaluate(`(${BUTTON}.removeAttribute('aria-labelledby'), ${BUTTON}.replaceChildren())`);
  expect((await violationsOf(page)).join('\n')).toMatch(/aria-toggle-field-name|button-name/);
});

test('nothing moves during the check if the visitor prefers reduced motion', async () => {
  const page = await states.solving({});
  const moving = `${BOX}.getRootNode().getAnimations().length`;
  await page.until(`${moving} > 0`);
  await page.setMedia([{ name: 'prefers-reduced-motion', value: 'reduce' }]);
  await page.until(`${moving} === 0`);
  expect(await page.evaluate<boolean>(isIn('solving'))).toBe(true);
});
