import { expect, test } from 'bun:test';
import { BOX, BUTTON } from '../fixture.ts';
import { SPACING } from '../wcag.ts';
import { useStates } from './states.ts';

/** Windows of 320 pixels. */

const states = useStates();

test.each(['widget', 'inline', 'popup'])(
  'no text is cut off with the text spacing of WCAG 2.2: %s',
  async (mode) => {
    // The longest text.
    const page = await states.failed({ mode });
    await page.evaluate(`(() => {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(${JSON.stringify(SPACING)});
    for (const root of [document, ${BOX}.getRootNode()]) root.adoptedStyleSheets = [...root.adoptedStyleSheets, sheet];
  })()`);
    for (const width of [320, 800]) {
      await page.resize({ width, height: 600 });
      const cut = await page.evaluate<string[]>(`(() => {
      const box = ${BOX}.getBoundingClientRect();
      const range = document.createRange();
      return [...${BOX}.querySelectorAll('#label, #status, a')].filter((text) => {
        range.selectNodeContents(text);
        const { left, right, top, bottom, width } = range.getBoundingClientRect();
        return width > 0 && (left < box.left || right > box.right || top < box.top || bottom > box.bottom);
      }).map(({ textContent }) => textContent);
    })()`);
      expect(cut).toEqual([]);
      expect(
        await page.evaluate<number>(
          'document.documentElement.scrollWidth - document.documentElement.clientWidth',
        ),
      ).toBeLessThanOrEqual(0);
    }
  },
);

test('the control is large enough, and nothing is clipped at 200% zoom', async () => {
  const page = await states.idle({});
  const size = await page.evaluate<{ width: number; height: number }>(
    `(({ width, height }) => ({ width, height }))(${BUTTON}.getBoundingClientRect())`,
  );
  // WCAG 2.2, success criterion 2.5.8.
  expect(Math.min(size.width, size.height)).toBeGreaterThanOrEqual(24);
  await page.resize({ width: 320, height: 512 });
  // 320 CSS pixels correspond to 640 at 200% zoom. WCAG 2.2, success criterion 1.4.10.
  const overflow = await page.evaluate<number>(
    'document.documentElement.scrollWidth - document.documentElement.clientWidth',
  );
  expect(overflow).toBeLessThanOrEqual(0);
  expect(await page.evaluate<boolean>(`${BOX}.scrollWidth <= ${BOX}.clientWidth + 1`)).toBe(true);
});
