import { describe, expect, test } from 'bun:test';
import { STYLES } from '../../src/widget/styles.ts';

/** WCAG 2.2, "relative luminance". */
function luminanceOf(color: string): number {
  const [red = 0, green = 0, blue = 0] = [0, 2, 4]
    .map((at) => Number.parseInt(color.slice(at + 1, at + 3), 16) / 255)
    .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

/** WCAG 2.2, "contrast ratio". */
function contrastOf(one: string, other: string): number {
  const [darker = 0, lighter = 0] = [luminanceOf(one), luminanceOf(other)].sort((a, b) => a - b);
  return (lighter + 0.05) / (darker + 0.05);
}

function ruleOf(selector: string): string {
  const from = STYLES.indexOf(`\n${selector}{`);
  if (from < 0) throw new Error(`no rule for ${selector}`);
  return STYLES.slice(from, STYLES.indexOf('}', from));
}

/** The theme variable that a rule uses for a property. */
function variableOf(selector: string, property: string): string {
  const found = new RegExp(`[;{ ]${property}:[^;]*var\\((--\\w)\\)`).exec(ruleOf(selector))?.[1];
  if (found === undefined) throw new Error(`no ${property} in ${selector}`);
  return found;
}

/** The default color of a variable, with six digits. */
function colorIn(theme: string, variable: string): string {
  const found = new RegExp(`${variable}:var\\(--postern-\\w+,(#[0-9a-f]{3,6})\\)`).exec(ruleOf(theme))?.[1];
  return found?.length === 4 ? found.replace(/[0-9a-f]/g, '$&$&') : (found ?? `no ${variable}`);
}

const THEMES = { light: ':host', dark: ':host([data-theme=dark])' } as const;

describe.each(['light', 'dark'] as const)('in the %s theme', (theme) => {
  test.each([
    ['.box', 'color', 4.5],
    ['#status', 'color', 4.5],
    // The text and the icon of a state use the same color.
    ['[data-state=verified]', '--c', 4.5],
    ['[data-state=failed]', '--c', 4.5],
    ['.brand', 'color', 4.5],
    ['.brand svg', 'background', 3],
    ['.box', 'border', 3],
    ['svg', 'border', 3],
    ['[aria-busy=true]~svg', 'stroke', 3],
    ['.fill', 'background', 3],
    ['[data-state=idle]:hover>svg', 'border-color', 3],
    [':focus-visible', 'outline', 3],
  ])('%s: its %s has a contrast of at least %d', (selector, property, min) => {
    const color = colorIn(THEMES[theme], variableOf(selector, property));
    expect(contrastOf(color, colorIn(THEMES[theme], '--g'))).toBeGreaterThanOrEqual(min);
  });
});

test('the marks and the arch of the logo have the background color, which contrasts with their frames', () => {
  expect(variableOf('svg', 'stroke')).toBe('--g');
});

test('the dark theme is the same for the visitor’s preference and for the page’s choice', () => {
  const from = STYLES.indexOf('@media (prefers-color-scheme:dark)');
  expect(STYLES.slice(from)).toContain(ruleOf(THEMES.dark).slice(ruleOf(THEMES.dark).indexOf('{')));
});

test('the widget reference lists every custom property with its value in each theme', async () => {
  const page = await Bun.file(new URL('../../docs/reference/widget.md', import.meta.url)).text();
  const documented = [...page.matchAll(/^\| `(--postern-[\w-]+)`\s*\| `([^`]+)`\s*\|(?: `([^`]+)`)?\s*\|/gm)];
  const table = documented.map(([, name, light, dark]) => [name, light, dark ?? light].join(' '));
  const found = new Map<string, string[]>();
  for (const [, name = '', value = ''] of STYLES.matchAll(/var\((--postern-[\w-]+),([^)]+)\)/g)) {
    found.set(name, [...(found.get(name) ?? []), value]);
  }
  const used = [...found].map(([name, [light, dark]]) => [name, light, dark ?? light].join(' '));
  expect(table.sort()).toEqual(used.sort());
});
