/** The colors of the pages. A browser test checks a contrast of 4.5:1 in both themes. */
// biome-ignore format: a table is easier to read with one row per line
const COLORS: readonly (readonly [name: string, light: string, dark: string])[] = [
  ['ink',           '#1b1f24', '#e6edf3'],
  ['soft',          '#57606a', '#9da7b3'],
  ['paper',         '#ffffff', '#161b22'],
  ['ground',        '#f6f8fa', '#0d1117'],
  ['raised',        '#eef1f4', '#21262d'],
  ['line',          '#d8dee4', '#30363d'],
  ['edge',          '#7d8590', '#767e88'],
  ['accent',        '#1f5fbf', '#6ea8fe'],
  ['accent-ground', '#eaf2fd', '#12243f'],
  ['on-accent',     '#ffffff', '#0d1117'],
  ['danger',        '#b3202c', '#ff8f88'],
  ['on-danger',     '#ffffff', '#1d0b0a'],
  ['danger-ground', '#fff1f0', '#2c1413'],
  ['good',          '#176f2c', '#6fdd8b'],
  ['good-ground',   '#eafbee', '#0f2417'],
  ['fair',          '#8a5a00', '#e0b050'],
  ['fair-ground',   '#fff8e6', '#2a2110'],
  ['shadow',        '#1b1f241f', '#00000080'],
];

/**
 * The style rules that define the colors as custom properties: `--ink`, `--paper`, and so on.
 *
 * The attribute `data-theme` of the root chooses a theme; without it, the browser's setting does.
 */
export function themeStyles(): string {
  const light = declarations('light', 1);
  const dark = declarations('dark', 2);
  return [
    `:root{${light}}`,
    `@media (prefers-color-scheme:dark){:root:not([data-theme="light"]){${dark}}}`,
    `:root[data-theme="dark"]{${dark}}`,
  ].join('\n');
}

function declarations(scheme: 'light' | 'dark', column: 1 | 2): string {
  const colors = COLORS.map((row) => `--${row[0]}:${row[column]}`);
  return [`color-scheme:${scheme}`, ...colors].join(';');
}
