// Draws the chart from the data attributes of its figure (portal/statistics/statisticsReport.tsx), with uPlot, and updates the
// numbers while the page is visible.

const HOUR = 3600;
const DAY = 24 * HOUR;
const LINES = ['issued', 'verified', 'failed'];

const language = document.documentElement.lang;
const grouped = new Intl.NumberFormat(language);
const short = new Intl.NumberFormat(language, { notation: 'compact' });

const numbersOf = (text) => (text === undefined ? undefined : text.split(',').map(Number));

/** Formats seconds since 1970: hours in the browser's time zone, days in UTC. */
function createFormat(isByHour, options) {
  const format = new Intl.DateTimeFormat(language, { ...(!isByHour && { timeZone: 'UTC' }), ...options });
  return (seconds) => format.format(seconds * 1000);
}

/** The times of the axis: round hours and midnights in the browser's time zone, as many as fit. */
function hourTicks(times, maxCount) {
  const hoursOf = (at) => new Date(at * 1000).getHours();
  for (const stride of [1, 2, 3, 6, 12]) {
    const ticks = times.filter((at) => hoursOf(at) % stride === 0);
    if (ticks.length <= maxCount) return ticks;
  }
  const midnights = times.filter((at) => hoursOf(at) === 0);
  return everyNth(midnights, maxCount);
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

function tickNames(isByHour) {
  const hour = createFormat(isByHour, { hour: 'numeric', minute: '2-digit' });
  const day = createFormat(isByHour, { day: 'numeric', month: 'short' });
  const month = createFormat(isByHour, { month: 'short' });
  const year = createFormat(isByHour, { year: 'numeric' });
  return (ticks) => {
    const gap = (ticks[1] ?? Infinity) - ticks[0];
    const isMonthly = !isByHour && ticks.length > 1 && gap > 27 * DAY;
    return ticks.map((at) => {
      const date = new Date(at * 1000);
      if (isMonthly) return date.getUTCMonth() === 0 ? year(at) : month(at);
      return isByHour && date.getHours() !== 0 ? hour(at) : day(at);
    });
  };
}

/** The resolved color of a custom property: with forced colors, a color of the system. */
function createColors(figure) {
  const probe = document.createElement('span');
  probe.hidden = true;
  // Otherwise, the transparent fill would become opaque, and cover the other lines.
  probe.style.setProperty('forced-color-adjust', 'none');
  figure.append(probe);
  const colors = {};
  for (const name of [...LINES, 'issued-fill', 'previous', 'soft', 'line']) {
    probe.style.setProperty('color', `var(--${name})`);
    colors[name] = getComputedStyle(probe).color;
  }
  probe.remove();
  return colors;
}

/** What the attributes of the figure say. */
function readData({ dataset }) {
  const isByHour = dataset.step === 'hour';
  const counts = LINES.map((name) => numbersOf(dataset[name]));
  const first = Number(dataset.from) / 1000;
  const times = counts[0].map((_, step) => first + step * (isByHour ? HOUR : DAY));
  const previous = numbersOf(dataset.previous);
  return { isByHour, counts, times, previous, isUnfinished: dataset.unfinished === 'true' };
}

/** Splits a line into its finished part and the dashed part to the unfinished step. */
function split(counts, isUnfinished) {
  const last = counts.length - 1;
  if (!isUnfinished || last === 0) return [counts, counts.map(() => null)];
  return [
    counts.map((count, step) => (step === last ? null : count)),
    counts.map((count, step) => (step >= last - 1 ? count : null)),
  ];
}

const STYLES = {
  issued: { width: 1.5 },
  verified: { width: 2 },
  failed: { width: 2, dash: [1, 3], cap: 'round' },
};

function seriesOf(name, colors, isSingle) {
  const fill = name === 'issued' ? { fill: colors['issued-fill'] } : {};
  const line = { stroke: colors[name], points: { show: isSingle }, ...STYLES[name], ...fill };
  return [line, { ...line, points: { show: false }, dash: [6, 5], cap: 'butt' }];
}

function createChart(figure) {
  const plot = figure.querySelector('.plot');
  let drawn;
  let data;

  /** Shows the numbers of a step in the caption; the texts of the server if no step is under the pointer. */
  function showStep(step, name) {
    const isOver = step !== null && step !== undefined;
    for (const element of figure.querySelectorAll('[data-value], .when')) {
      element.dataset.text ??= element.textContent;
      const line = LINES.indexOf(element.dataset.value);
      const now = () => (line < 0 ? name(data.times[step]) : grouped.format(data.counts[line][step]));
      element.textContent = isOver ? now() : element.dataset.text;
    }
  }

  function optionsOf(width) {
    const colors = createColors(figure);
    const { isByHour, times } = data;
    const axis = {
      stroke: colors.soft,
      font: '12px system-ui, sans-serif',
      grid: { stroke: colors.line, width: 1 },
      ticks: { stroke: colors.line, width: 1, size: 4 },
    };
    const whole = createFormat(isByHour, {
      dateStyle: 'medium',
      ...(isByHour && { timeStyle: 'short' }),
    });
    const maxCount = Math.max(2, Math.floor(width / 72));
    const ticks = isByHour ? hourTicks(times, maxCount) : dayTicks(times, maxCount);
    const names = tickNames(isByHour)(ticks);
    const isSingle = times.length === 1;
    return {
      width,
      height: width < 480 ? 200 : 280,
      scales: { x: { time: false }, y: { range: (_, __, most) => [0, Math.max(4, most * 1.08)] } },
      padding: [12, 24, 0, 0],
      legend: { show: false },
      cursor: { y: false, drag: { x: false, y: false, setScale: false }, points: { show: false } },
      axes: [
        { ...axis, size: 30, splits: () => ticks, values: () => names },
        {
          ...axis,
          size: 48,
          incrs: [1, 2, 5]
            .flatMap((digit) => Array.from({ length: 12 }, (_, power) => digit * 10 ** power))
            .sort((a, b) => a - b),
          values: (_, counts) => counts.map((count) => short.format(count)),
        },
      ],
      series: [
        {},
        { stroke: colors.previous, width: 1.5, points: { show: isSingle } },
        ...LINES.flatMap((name) => seriesOf(name, colors, isSingle)),
      ],
      hooks: { setCursor: [({ cursor }) => showStep(cursor.idx, whole)] },
    };
  }

  function draw() {
    drawn?.destroy();
    data = readData(figure);
    const previous = data.previous ?? data.times.map(() => null);
    const lines = data.counts.flatMap((counts) => split(counts, data.isUnfinished));
    drawn = new window.uPlot(optionsOf(plot.clientWidth), [data.times, previous, ...lines], plot);
  }

  figure.hidden = false;
  draw();
  for (const query of ['(prefers-color-scheme: dark)', '(forced-colors: active)'])
    matchMedia(query).addEventListener('change', draw);
  new ResizeObserver(() => {
    if (plot.clientWidth !== drawn.width) draw();
  }).observe(plot);
  return draw;
}

function showZone() {
  const { timeZone } = new Intl.DateTimeFormat().resolvedOptions();
  for (const element of document.querySelectorAll('[data-zone]'))
    element.textContent = element.dataset.zone.replace('{}', timeZone);
}

/** Replaces the parts of the page with those of a newer fragment. @returns false if the page has other parts */
function update(report, markup, draw) {
  const next = new DOMParser().parseFromString(markup, 'text/html');
  const partsOf = (root) => [...root.querySelectorAll('[data-part]')];
  const [old, fresh] = [partsOf(report), partsOf(next)];
  const namesOf = (parts) => parts.map(({ dataset }) => dataset.part).join();
  if (namesOf(old) !== namesOf(fresh)) return false;
  for (const [index, part] of old.entries()) {
    const replacement = fresh[index];
    if (part.dataset.part !== 'chart') {
      if (part.innerHTML !== replacement.innerHTML) part.replaceChildren(...replacement.childNodes);
      continue;
    }
    for (const { name, value } of replacement.attributes)
      if (name !== 'hidden') part.setAttribute(name, value);
    part.querySelector('figcaption').replaceWith(replacement.querySelector('figcaption'));
    draw();
  }
  return true;
}

/** Asks for new numbers while the page is visible, and stops when the session has ended. */
function goLive(report, draw) {
  const indicator = document.querySelector('.live');
  const button = document.querySelector('.pause');
  const { live: path, seconds } = report.dataset;
  const text = indicator.textContent;
  let tag;
  let timer;
  let isRunning = false;
  let isPaused = false;

  function showState(isOnline) {
    indicator.hidden = isPaused;
    indicator.classList.toggle('offline', !isOnline);
    const wanted = isOnline ? text : indicator.dataset.offline;
    if (indicator.textContent !== wanted) indicator.textContent = wanted;
  }

  function stop() {
    clearTimeout(timer);
    document.removeEventListener('visibilitychange', onVisibility);
    indicator.hidden = button.hidden = true;
  }

  async function handle(response) {
    if (response.status === 304) return showState(true);
    if (response.status === 401 || response.type === 'opaqueredirect') {
      stop();
      document.querySelector('.live-ended').hidden = false;
      return undefined;
    }
    if (response.status === 404 || response.status === 403) return stop();
    if (!response.ok) return showState(false);
    const markup = await response.text();
    tag = response.headers.get('ETag');
    showState(true);
    // The first visitors have arrived, so the page has other parts.
    if (!update(report, markup, draw)) location.reload();
    return undefined;
  }

  async function ask() {
    if (isRunning) return;
    isRunning = true;
    try {
      const headers = tag === undefined ? {} : { 'If-None-Match': tag };
      await handle(await fetch(path, { headers, redirect: 'manual', cache: 'no-store' }));
    } catch {
      showState(false);
    } finally {
      isRunning = false;
    }
    if (indicator.hidden || document.hidden) return;
    timer = setTimeout(ask, seconds * 1000);
  }

  function onVisibility() {
    clearTimeout(timer);
    if (!document.hidden && !isPaused) void ask();
  }

  /** Pauses the updates, or resumes them, and exchanges the texts of the button. */
  function toggle() {
    isPaused = !isPaused;
    [button.textContent, button.dataset.other] = [button.dataset.other, button.textContent];
    indicator.hidden = isPaused;
    onVisibility();
  }

  document.addEventListener('visibilitychange', onVisibility);
  button.addEventListener('click', toggle);
  button.hidden = false;
  showState(true);
  if (!document.hidden) timer = setTimeout(ask, seconds * 1000);
}

const figure = document.querySelector('.chart');
const draw = figure === null ? () => {} : createChart(figure);
showZone();
const numbers = document.querySelector('details.numbers');
if (numbers !== null) numbers.open = false;
const report = document.querySelector('.report[data-live]');
if (report !== null) goLive(report, draw);
