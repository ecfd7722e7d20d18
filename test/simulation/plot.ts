/** Draws line charts as SVG, without styles, so that a strict content security policy allows them. */

export type Line = {
  readonly label: string;
  readonly points: readonly (readonly [x: number, y: number])[];
  readonly color: number;
};

export type Chart = {
  readonly title: string;
  readonly x: Axis;
  readonly y: Axis;
  readonly lines: readonly Line[];
};

export type Axis = {
  readonly label: string;
  readonly ticks: readonly (readonly [value: number, text: string])[];
  readonly isLogarithmic?: boolean;
};

type Theme = {
  readonly text: string;
  readonly muted: string;
  readonly grid: string;
  readonly background: string;
  readonly lines: readonly string[];
};

export const THEMES = {
  light: {
    text: '#1f2328',
    muted: '#59636e',
    grid: '#d8dee4',
    background: '#ffffff',
    lines: ['#0969da', '#bc4c00', '#1a7f37', '#8250df', '#59636e'],
  },
  dark: {
    text: '#f0f6fc',
    muted: '#9198a1',
    grid: '#30363d',
    background: '#0d1117',
    lines: ['#58a6ff', '#f0883e', '#3fb950', '#bc8cff', '#9198a1'],
  },
} as const satisfies Record<string, Theme>;

const SIZE = { width: 760, height: 380 };
const AREA = { left: 64, right: 560, top: 44, bottom: 326 };
const FONT = 'font-family="system-ui, sans-serif"';
const LABEL_HEIGHT = 17;

/** @returns the document */
export function drawChart({ title, x, y, lines }: Chart, theme: Theme): string {
  const toX = scaleOf(x, AREA.left, AREA.right);
  const toY = scaleOf(y, AREA.bottom, AREA.top);
  const text = (at: readonly [number, number], value: string, color: string, more = '') =>
    `<text x="${round(at[0])}" y="${round(at[1])}" fill="${color}" font-size="13" ${FONT}${more}>${Bun.escapeHTML(value)}</text>`;
  const parts = [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${SIZE.width}" height="${SIZE.height}" viewBox="0 0 ${SIZE.width} ${SIZE.height}" role="img">`,
    `<title>${Bun.escapeHTML(title)}</title>`,
    `<rect width="${SIZE.width}" height="${SIZE.height}" fill="${theme.background}"/>`,
    text([AREA.left, 22], title, theme.text, ' font-weight="600"'),
  ];
  for (const [value, label] of y.ticks) {
    const at = round(toY(value));
    parts.push(`<path d="M${AREA.left} ${at}H${AREA.right}" stroke="${theme.grid}"/>`);
    parts.push(text([AREA.left - 8, toY(value) + 4], label, theme.muted, ' text-anchor="end"'));
  }
  for (const [value, label] of x.ticks) {
    parts.push(text([toX(value), AREA.bottom + 20], label, theme.muted, ' text-anchor="middle"'));
  }
  parts.push(
    text([(AREA.left + AREA.right) / 2, AREA.bottom + 42], x.label, theme.muted, ' text-anchor="middle"'),
  );
  parts.push(text([AREA.left, 38], y.label, theme.muted));
  const labels = spread(lines.map(({ points }) => toY(points.at(-1)?.[1] ?? 1)));
  lines.forEach(({ label, points, color }, index) => {
    const stroke = theme.lines[color] ?? theme.text;
    const path = points.map(([px, py]) => `${round(toX(px))} ${round(toY(py))}`).join('L');
    parts.push(
      `<path d="M${path}" fill="none" stroke="${stroke}" stroke-width="2" stroke-linejoin="round"/>`,
    );
    parts.push(text([AREA.right + 8, (labels[index] ?? 0) + 4], label, stroke));
  });
  return `${[...parts, '</svg>'].join('\n')}\n`;
}

function scaleOf(
  { ticks, isLogarithmic = false }: Axis,
  start: number,
  end: number,
): (value: number) => number {
  const map = (value: number) => (isLogarithmic ? Math.log(value) : value);
  const [low, high] = [map(ticks[0]?.[0] ?? 0), map(ticks.at(-1)?.[0] ?? 1)];
  return (value) => start + ((map(value) - low) / (high - low)) * (end - start);
}

/** Moves labels apart that would overlap. */
function spread(positions: readonly number[]): readonly number[] {
  const order = positions.map((at, index) => ({ at, index })).sort((a, b) => b.at - a.at);
  const result = [...positions];
  let limit = AREA.bottom;
  for (const { at, index } of order) {
    const place = Math.min(at, limit);
    result[index] = place;
    limit = place - LABEL_HEIGHT;
  }
  return result;
}

const round = (value: number) => Math.round(value * 10) / 10;
