import { expect, test } from 'bun:test';
import { STYLES } from '../../src/widget/styles.ts';

/** WCAG 2.2, "relative luminance". */
function luminanceOf(colour: string): number {
  const [red = 0, green = 0, blue = 0] = [0, 2, 4]
    .map((at) => Number.parseInt(colour.slice(at + 1, at + 3), 16) / 255)
    .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

/** Of a colour on the widget's white ground. */
const contrastOf = (colour: string) => 1.05 / (luminanceOf(colour) + 0.05);

/** The six-digit colour that a rule gives a property. */
function colourOf(selector: string, property: string): string {
  const from = STYLES.indexOf(`\n${selector}{`);
  const rule = STYLES.slice(from, STYLES.indexOf('}', from));
  return (
    new RegExp(`[;{ ]${property}:[^;]*(#[0-9a-f]{6})`).exec(rule)?.[1] ?? `no ${property} in ${selector}`
  );
}

test.each([
  ['.box', 'color', 4.5],
  ['.status', 'color', 4.5],
  ['[data-state=verified] .status', 'color', 4.5],
  ['[data-state=failed] .status', 'color', 4.5],
  ['.name', 'color', 4.5],
  ['.box', 'border', 3],
  ['.frame', 'stroke', 3],
  ['.ring', 'stroke', 3],
  ['[data-state=verified] .frame', 'fill', 3],
  ['[data-state=failed] .frame', 'fill', 3],
  ['.fill', 'background', 3],
  ['button:focus-visible', 'outline', 3],
])('%s: its %s has a contrast of at least %d', (selector, property, least) => {
  expect(contrastOf(colourOf(selector, property))).toBeGreaterThanOrEqual(least);
});
