// Draws the chart from the data attributes of its figure (http/portal/components/statisticsReport.tsx), with uPlot.

const HOUR = 3600;
const DAY = 24 * HOUR;
const LINES = ['issued', 'verified', 'failed'];

const figure = document.querySelector('.chart');
const plot = figure.querySelector('.plot');
const isByHour = figure.dataset.step === 'hour';
const theme = matchMedia('(prefers-color-scheme: dark)');

const numbersOf = (text) => text.split(',').map(Number);
const counts = LINES.map((name) => numbersOf(figure.dataset[name]));
const first = Number(figure.dataset.from) / 1000;
const times = counts[0].map((_, step) => first + step * (isByHour ? HOUR : DAY));

const grouped = new Intl.NumberFormat('en-GB');
const short = new Intl.NumberFormat('en-GB', { notation: 'compact' });

/** Formats seconds since 1970 in UTC, regardless of the browser's time zone. */
function createFormat(options) {
  const format = new Intl.DateTimeFormat('en-GB', { timeZone: 'UTC', ...options });
  return (seconds) => format.format(seconds * 1000);
}
const hourName = createFormat({ hour: '2-digit', minute: '2-digit' });
const dayName = createFormat({ day: 'numeric', month: 'short' });
const monthName = createFormat({ month: 'short' });
const yearName = createFormat({ year: 'numeric' });
const wholeName = createFormat({
  day: 'numeric',
  month: 'short',
  year: 'numeric',
  ...(isByHour && { hour: '2-digit', minute: '2-digit' }),
});

const STRIDES = [1, 2, 3, 6, 12, 24, 48, 96, 168, 336].map((hours) => hours * HOUR);

/** The labels of the time axis: round times in UTC, as many as fit. */
function ticksOf(from, until, maxCount) {
  const stride = STRIDES.find((seconds) => (until - from) / seconds <= maxCount);
  if (stride === undefined) return monthsOf(from, until, Math.ceil((until - from) / (30 * DAY) / maxCount));
  const ticks = [];
  for (let at = Math.ceil(from / stride) * stride; at <= until; at += stride) ticks.push(at);
  return ticks;
}

function monthsOf(from, until, every) {
  const ticks = [];
  const begin = new Date(from * 1000);
  for (let month = begin.getUTCMonth() + 1; ; month += every) {
    const at = Date.UTC(begin.getUTCFullYear(), month) / 1000;
    if (at > until) return ticks;
    ticks.push(at);
  }
}

function tickName(at, gap) {
  if (gap > 14 * DAY) return at === yearOf(at) ? yearName(at) : monthName(at);
  return gap >= DAY || at % DAY === 0 ? dayName(at) : hourName(at);
}

function yearOf(at) {
  return Date.UTC(new Date(at * 1000).getUTCFullYear(), 0) / 1000;
}

/** The texts of the caption as the server sent them: the totals of the range. */
const totals = new Map(
  [...figure.querySelectorAll('[data-value], .when')].map((element) => [element, element.textContent]),
);
/** Shows the numbers of a step in the caption; the totals if no step is under the pointer. */
function showStep(step) {
  for (const [element, text] of totals) {
    const line = LINES.indexOf(element.dataset.value);
    const now = line < 0 ? () => wholeName(times[step]) : () => grouped.format(counts[line][step]);
    element.textContent = step === null || step === undefined ? text : now();
  }
}

function optionsOf(width) {
  const style = getComputedStyle(figure);
  const color = (name) => style.getPropertyValue(`--${name}`).trim();
  const axis = {
    stroke: color('soft'),
    font: '12px system-ui, sans-serif',
    grid: { stroke: color('line'), width: 1 },
    ticks: { stroke: color('line'), width: 1, size: 4 },
  };
  return {
    width,
    height: width < 480 ? 220 : 300,
    scales: { x: { time: false }, y: { range: (_, __, most) => [0, Math.max(4, most * 1.08)] } },
    legend: { show: false },
    cursor: { y: false, drag: { x: false, y: false, setScale: false } },
    axes: [
      {
        ...axis,
        size: 32,
        splits: (_, __, from, until) => ticksOf(from, until, Math.max(2, Math.floor(width / 64))),
        values: (_, ticks) => ticks.map((at) => tickName(at, (ticks[1] ?? Infinity) - ticks[0])),
      },
      {
        ...axis,
        size: 52,
        incrs: [1, 2, 5]
          .flatMap((digit) => Array.from({ length: 12 }, (_, power) => digit * 10 ** power))
          .sort((a, b) => a - b),
        values: (_, ticks) => ticks.map((count) => short.format(count)),
      },
    ],
    series: [
      {},
      { stroke: color('issued'), fill: color('issued-fill'), width: 1.5, points: { show: false } },
      { stroke: color('verified'), width: 2, points: { show: false } },
      { stroke: color('failed'), width: 2, dash: [6, 4], points: { show: false } },
    ],
    hooks: { setCursor: [({ cursor }) => showStep(cursor.idx)] },
  };
}

let drawn;
function draw() {
  drawn?.destroy();
  drawn = new window.uPlot(optionsOf(plot.clientWidth), [times, ...counts], plot);
}

figure.hidden = false;
draw();
document.querySelector('details.numbers').open = false;
theme.addEventListener('change', draw);
new ResizeObserver(() => {
  if (plot.clientWidth !== drawn.width) draw();
}).observe(plot);
