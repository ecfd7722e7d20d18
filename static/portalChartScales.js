// The data, lines, and axes of the chart. The server appends portalChart.js, so both are one module.

const HOUR = 3600;
const DAY = 24 * HOUR;
export const LINES = ['issued', 'verified', 'failed'];
export const SERIES = [...LINES, 'previous'];

const language = document.documentElement.lang;
export const grouped = new Intl.NumberFormat(language);
const short = new Intl.NumberFormat(language, { notation: 'compact' });

/** Formats seconds since 1970 in the time zone of the page. */
export function createFormat(timeZone, options, locale = language) {
  const format = new Intl.DateTimeFormat(locale, { timeZone, ...options });
  return (seconds) => format.format(seconds * 1000);
}

/** The times of the axis: round hours and the first hours of days, as many as fit. */
function hourTicks(times, maxCount, hourOf) {
  for (const stride of [1, 2, 3, 6, 12]) {
    const ticks = times.filter((at) => hourOf(at) % stride === 0);
    if (ticks.length <= maxCount) return ticks;
  }
  const days = times.filter((at) => hourOf(at) === 0);
  return everyNth(days, maxCount);
}

/** Number of days above which the axis shows months. */
const MAX_DAILY = 92;

/** The times of the axis: days, or the first days of months, in UTC. */
function dayTicks(times, maxCount) {
  if (times.length <= MAX_DAILY) return everyNth(times, maxCount);
  const months = times.filter((at) => new Date(at * 1000).getUTCDate() === 1);
  return everyNth(months, maxCount);
}

function everyNth(ticks, maxCount) {
  const stride = Math.ceil(ticks.length / maxCount);
  return ticks.filter((_, index) => index % stride === 0);
}

/** The times of the axis and their names. */
export function timeAxis({ times, isByHour, zone }, width) {
  const maxCount = Math.max(2, Math.floor(width / 72));
  const hourIn = createFormat(zone, { hour: 'numeric', hourCycle: 'h23' }, 'en');
  const hourOf = (at) => Number(hourIn(at));
  const ticks = isByHour ? hourTicks(times, maxCount, hourOf) : dayTicks(times, maxCount);
  const hour = createFormat(zone, { hour: 'numeric', minute: '2-digit' });
  const day = createFormat(zone, { day: 'numeric', month: 'short' });
  const month = createFormat(zone, { month: 'short' });
  const year = createFormat(zone, { year: 'numeric' });
  const isMonthly = !isByHour && ticks.length > 1 && ticks[1] - ticks[0] > 27 * DAY;
  const names = ticks.map((at) => {
    if (isMonthly) return new Date(at * 1000).getUTCMonth() === 0 ? year(at) : month(at);
    return isByHour && hourOf(at) !== 0 ? hour(at) : day(at);
  });
  return { splits: () => ticks, values: () => names };
}

/** What the attributes of the figure say about the steps that are in view. @param zoom seconds; undefined for all steps */
export function readData({ dataset }, zoom) {
  const isByHour = dataset.step === 'hour';
  const length = isByHour ? HOUR : DAY;
  const countsOf = (name) => dataset[name]?.split(',').map(Number) ?? [];
  const first = Number(dataset.from) / 1000;
  const all = countsOf('issued').map((_, step) => first + step * length);
  const isInView = (at) => zoom === undefined || (at >= zoom.from && at < zoom.until);
  const times = all.filter(isInView);
  if (times.length === 0) return readData({ dataset });
  const shift = all.indexOf(times[0]);
  const inView = (counts) => counts.slice(shift, shift + times.length);
  const counts = Object.fromEntries(SERIES.map((name) => [name, inView(countsOf(name))]));
  const isUnfinished = dataset.unfinished !== undefined && times.at(-1) === all.at(-1);
  return { isByHour, length, all, times, counts, isUnfinished, zone: dataset.zone };
}

/**
 * The values at the starts of the steps and at the end of the last one, of two lines: of the finished steps, and of the unfinished one,
 * which is dashed.
 */
export function toLines(counts, isUnfinished) {
  const last = counts.length - 1;
  const whole = last < 0 ? [] : [...counts, counts[last]];
  const none = whole.map(() => null);
  if (!isUnfinished) return [whole, none];
  const finished = whole.map((count, step) =>
    step < last ? count : step === last ? counts[last - 1] : null,
  );
  return [last === 0 ? none : finished, whole.map((count, step) => (step < last ? null : count))];
}

const STYLES = {
  issued: { width: 1.5 },
  verified: { width: 2 },
  failed: { width: 2, dash: [2, 3] },
  previous: { width: 1.5, dash: [10, 4] },
};

export function seriesOf(name, colors, show) {
  const fill = name === 'issued' ? { fill: colors['issued-fill'] } : {};
  const paths = window.uPlot.paths.stepped({ align: 1 });
  const line = { show, stroke: colors[name], paths, points: { show: false }, ...STYLES[name], ...fill };
  return [line, { ...line, dash: [6, 5] }];
}

/** Whether one step would flatten all others: it has more than ten times the count that a tenth of the steps exceed. */
export function hasSpike(counts) {
  const sorted = counts.toSorted((a, b) => b - a);
  return sorted[0] > 10 * Math.max(5, sorted[Math.floor(sorted.length / 10)] ?? 0);
}

/** The scale of the counts. The logarithmic one is linear below 1, so that it has a zero. */
export function countScale(most, isLog) {
  if (!isLog) return { range: [0, Math.max(4, most * 1.08)] };
  return { distr: 4, asinh: 1, range: [0, Math.max(10, most * 1.5)] };
}

const POWERS = Array.from({ length: 12 }, (_, power) => 10 ** power);

export function countAxis(most, isLog) {
  const values = (_, counts) => counts.map((count) => short.format(count));
  if (!isLog) return { values, incrs: POWERS.flatMap((power) => [power, 2 * power, 5 * power]) };
  const splits = [0, ...POWERS.filter((power) => power <= Math.max(10, most * 1.5))];
  return { values, splits: () => splits, filter: (_, counts) => counts };
}
