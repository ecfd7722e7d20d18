const GROUPED = new Intl.NumberFormat('en-GB');

/** A count for people: `12,345`. */
export function grouped(count: number): string {
  return GROUPED.format(count);
}

/** A part of a whole, to a tenth of a percent, rounded down: all is said of all alone. An en dash where there is no whole. */
export function percent(part: number, whole: number): string {
  if (whole === 0) return '–';
  const tenths = Math.floor((1000 * part) / whole);
  return tenths === 0 && part > 0 ? 'under 0.1 %' : `${tenths / 10} %`;
}

/** A duration for people. @param milliseconds undefined where there is none */
export function duration(milliseconds: number | undefined): string {
  if (milliseconds === undefined) return '–';
  if (milliseconds < 1000) return `${milliseconds} ms`;
  const seconds = milliseconds / 1000;
  return seconds < 120 ? `${seconds.toFixed(1)} s` : `${grouped(Math.round(seconds / 60))} min`;
}
