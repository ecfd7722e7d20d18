const GROUPED = new Intl.NumberFormat('en-GB');

/** A count with thousands separators: `12,345`. */
export function grouped(count: number): string {
  return GROUPED.format(count);
}

/** A percentage with one decimal, rounded down so that only the whole is `100%`; an en dash if the whole is 0. */
export function percent(part: number, whole: number): string {
  if (whole === 0) return '–';
  const tenths = Math.floor((1000 * part) / whole);
  return tenths === 0 && part > 0 ? 'under 0.1%' : `${tenths / 10}%`;
}

/** A duration in ms, s, or min; an en dash if it is undefined. */
export function duration(milliseconds: number | undefined): string {
  if (milliseconds === undefined) return '–';
  if (milliseconds < 1000) return `${milliseconds} ms`;
  const seconds = milliseconds / 1000;
  return seconds < 120 ? `${seconds.toFixed(1)} s` : `${grouped(Math.round(seconds / 60))} min`;
}
