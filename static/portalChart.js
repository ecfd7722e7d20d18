// Draws the chart from the data attributes of its figure (portal/statistics/chart.tsx), with uPlot.

/** The resolved colors of custom properties: with forced colors, colors of the system. */
function createColors(figure) {
  const probe = document.createElement('span');
  probe.hidden = true;
  // Otherwise, the transparent fill would become opaque, and cover the other lines.
  probe.style.setProperty('forced-color-adjust', 'none');
  figure.append(probe);
  const colors = {};
  for (const name of [...SERIES, 'issued-fill', 'unfinished', 'mark', 'soft', 'line']) {
    probe.style.setProperty('color', `var(--${name})`);
    colors[name] = getComputedStyle(probe).color;
  }
  probe.remove();
  return colors;
}

/** The changes that the page lists: seconds, number, and text. */
function changesOnPage() {
  return [...document.querySelectorAll('.changes > li')].map((item, index) => ({
    at: Date.parse(item.querySelector('time').dateTime) / 1000,
    name: String(index + 1),
    text: item.querySelector('.what').textContent,
  }));
}

function drawBand({ ctx, bbox, valToPos }, { from, until, color }) {
  const [left, right] = [from, until].map((at) => valToPos(at, 'x', true));
  ctx.fillStyle = color;
  ctx.fillRect(left, bbox.top, right - left, bbox.height);
}

/** Pixels that the numbers of changes need. */
const LABEL_WIDTH = 32;

/** Lines at the times of changes, with their numbers: `1–3` for lines too close for a number each. */
function drawMarks({ ctx, bbox, valToPos }, changes, color) {
  const pixel = devicePixelRatio;
  ctx.save();
  ctx.strokeStyle = ctx.fillStyle = color;
  ctx.lineWidth = pixel;
  ctx.font = `${11 * pixel}px system-ui, sans-serif`;
  ctx.setLineDash([pixel, 3 * pixel]);
  const labels = [];
  for (const { at, name } of changes) {
    const x = Math.round(valToPos(at, 'x', true));
    ctx.beginPath();
    ctx.moveTo(x, bbox.top);
    ctx.lineTo(x, bbox.top + bbox.height);
    ctx.stroke();
    const last = labels.at(-1);
    if (last !== undefined && x - last.x < LABEL_WIDTH * pixel) last.to = name;
    else labels.push({ x, from: name, to: name });
  }
  for (const { x, from, to } of labels)
    ctx.fillText(from === to ? from : `${from}–${to}`, x + 3 * pixel, bbox.top + 10 * pixel);
  ctx.restore();
}

// A page without numbers has no chart.
const figure = document.querySelector('.chart');
const [plot, log, zoomOut] = ['.plot', '.log', '.zoom-out'].map((name) => figure?.querySelector(name));
const changes = changesOnPage();
const hidden = new Set();
let isLog;
let zoom;
let drawn;
let data;
/** The texts of the caption without a step; undefined while it has them. */
let totals;
/** The step that the keyboard has selected. */
let selected;

const captionParts = () => figure.querySelectorAll('[data-value], .when');
const endOf = ({ times, length }) => times.at(-1) + length;

function nameOf(step) {
  const { isByHour, times, length, zone } = data;
  const format = createFormat(zone, { dateStyle: 'medium', ...(isByHour && { timeStyle: 'short' }) });
  const at = times[step];
  const isLast = data.isUnfinished && step === times.length - 1;
  const texts = changes.filter((one) => one.at >= at && one.at < at + length).map(({ text }) => text);
  return [`${format(at)}${isLast ? ` ${figure.dataset.unfinished}` : ''}`, ...texts].join(' · ');
}

/** Shows the numbers of a step in the caption; without a step, the totals. */
function showStep(step) {
  if (step === undefined) {
    if (totals !== undefined) for (const [part, text] of totals) part.textContent = text;
    totals = undefined;
    return;
  }
  if (totals === undefined) {
    totals = [...captionParts()].map((part) => [part, part.textContent]);
    // The totals are the widest numbers. Otherwise, the caption could wrap differently, and move the chart under the pointer.
    for (const [part] of totals) if (part.matches('b')) part.style.minInlineSize = `${part.offsetWidth}px`;
  }
  for (const part of captionParts()) {
    const { value } = part.dataset;
    part.textContent = value === undefined ? nameOf(step) : grouped.format(data.counts[value][step]);
  }
}

/** For screen readers, the chart is a slider over its steps. */
function announce(step) {
  const keys = [...figure.querySelectorAll('[data-series]')].filter(
    ({ dataset }) => !hidden.has(dataset.series),
  );
  const valueIn = ({ firstChild, dataset }) =>
    `${firstChild.textContent.trim()} ${grouped.format(data.counts[dataset.series][step])}`;
  plot.setAttribute('aria-valuemax', data.times.length);
  plot.setAttribute('aria-valuenow', step + 1);
  plot.setAttribute('aria-valuetext', `${nameOf(step)}: ${keys.map(valueIn).join(', ')}`);
}

function stepUnderPointer({ cursor: { left }, posToVal }) {
  if (left < 0) return undefined;
  const step = Math.floor((posToVal(left, 'x') - data.times[0]) / data.length);
  return Math.min(Math.max(step, 0), data.times.length - 1);
}

function select(step) {
  selected = Math.min(Math.max(step, 0), data.times.length - 1);
  const left = drawn.valToPos(data.times[selected] + data.length / 2, 'x');
  drawn.setCursor({ left, top: 0 });
  showStep(selected);
  announce(selected);
}

/** Shows the steps between two times; without times, all steps. */
function zoomTo(from, until) {
  zoom = from === undefined ? undefined : { from, until };
  zoomOut.hidden = zoom === undefined;
  draw();
}

/** Makes the view around the selected step half as long, or twice as long. */
function zoomBy(factor) {
  const { all, times, length } = data;
  const count = Math.max(2, Math.round(times.length * factor));
  if (count >= all.length) return zoomTo();
  const at = times[selected ?? times.length - 1];
  const wanted = all.indexOf(at) - Math.floor(count / 2);
  const first = all[Math.min(Math.max(wanted, 0), all.length - count)];
  return zoomTo(first, first + count * length);
}

/** Shows the steps that were selected by dragging. */
function zoomToSelection({ select: { left, width }, posToVal }) {
  const { times, length } = data;
  const [from, until] = [left, left + width].map((position) => posToVal(position, 'x'));
  const inside = times.filter((at) => at + length > from && at < until);
  // Not while uPlot handles the event.
  if (width > 0 && inside.length > 0) setTimeout(zoomTo, 0, inside[0], inside.at(-1) + length);
}

function optionsOf(width) {
  const colors = createColors(figure);
  const visible = SERIES.filter((name) => !hidden.has(name)).flatMap((name) => data.counts[name]);
  const most = Math.max(0, ...visible);
  isLog ??= hasSpike(visible);
  log.setAttribute('aria-pressed', isLog);
  const axis = {
    stroke: colors.soft,
    font: '12px system-ui, sans-serif',
    grid: { stroke: colors.line, width: 1 },
    ticks: { stroke: colors.line, width: 1, size: 4 },
  };
  const end = endOf(data);
  const band = { from: data.times.at(-1), until: end, color: colors.unfinished };
  const marked = changes.filter(({ at }) => at >= data.times[0] && at < end);
  return {
    width,
    height: width < 480 ? 200 : 280,
    scales: { x: { time: false, range: [data.times[0], end] }, y: countScale(most, isLog) },
    padding: [12, 24, 0, 0],
    legend: { show: false },
    cursor: { y: false, drag: { x: true, y: false, setScale: false, dist: 8 }, points: { show: false } },
    axes: [
      { ...axis, size: 30, ...timeAxis(data, width) },
      { ...axis, size: 48, ...countAxis(most, isLog) },
    ],
    series: [{}, ...['previous', ...LINES].flatMap((name) => seriesOf(name, colors, !hidden.has(name)))],
    hooks: {
      // uPlot computes its scales after the call that creates the chart.
      ready: [() => selected !== undefined && select(selected)],
      setCursor: [(chart) => showStep(stepUnderPointer(chart))],
      setSelect: [zoomToSelection],
      drawAxes: [(chart) => data.isUnfinished && drawBand(chart, band)],
      draw: [(chart) => drawMarks(chart, marked, colors.mark)],
    },
  };
}

function draw() {
  showStep();
  drawn?.destroy();
  const at = data?.times[selected];
  data = readData(figure, zoom);
  if (selected !== undefined) selected = Math.max(0, data.times.indexOf(at));
  announce(selected ?? data.times.length - 1);
  const lines = ['previous', ...LINES].flatMap((name) => {
    // The previous period is over, and may be missing.
    const isUnfinished = data.isUnfinished && name !== 'previous';
    const found = toLines(data.counts[name], isUnfinished);
    return found[0].length === 0 ? found.map(() => [...data.times, 0].map(() => null)) : found;
  });
  drawn = new window.uPlot(optionsOf(plot.clientWidth), [[...data.times, endOf(data)], ...lines], plot);
}

const KEYS = {
  ArrowLeft: () => select(selected - 1),
  ArrowRight: () => select(selected + 1),
  ArrowDown: () => select(selected - 1),
  ArrowUp: () => select(selected + 1),
  PageDown: () => select(selected - 7),
  PageUp: () => select(selected + 7),
  Home: () => select(0),
  End: () => select(data.times.length - 1),
  '+': () => zoomBy(0.5),
  '=': () => zoomBy(0.5),
  '-': () => zoomBy(2),
  Escape: () => zoomTo(),
};

function start() {
  figure.hidden = false;
  for (const [name, value] of Object.entries({
    role: 'slider',
    tabindex: 0,
    'aria-label': plot.dataset.label,
    'aria-valuemin': 1,
  }))
    plot.setAttribute(name, value);
  draw();

  plot.addEventListener('keydown', (event) => {
    const isPlain = !event.ctrlKey && !event.metaKey && !event.altKey;
    if (!isPlain || !Object.hasOwn(KEYS, event.key)) return;
    event.preventDefault();
    selected ??= data.times.length - 1;
    KEYS[event.key]();
  });
  plot.addEventListener('focus', () => {
    if (plot.matches(':focus-visible')) select(data.times.length - 1);
  });
  plot.addEventListener('blur', () => {
    selected = undefined;
    drawn.setCursor({ left: -10, top: -10 });
    showStep();
  });
  figure.addEventListener('click', ({ target }) => {
    const key = target.closest('[data-series]');
    if (key === null) return;
    const { series } = key.dataset;
    if (!hidden.delete(series)) hidden.add(series);
    key.setAttribute('aria-pressed', !hidden.has(series));
    draw();
  });
  log.addEventListener('click', () => {
    isLog = !isLog;
    draw();
  });
  zoomOut.addEventListener('click', () => {
    zoomTo();
    // The button has disappeared.
    plot.focus();
  });
  // `portalLive.js` has replaced the data and the caption.
  figure.addEventListener('update', () => {
    totals = undefined;
    draw();
  });
  for (const query of ['(prefers-color-scheme: dark)', '(forced-colors: active)'])
    matchMedia(query).addEventListener('change', draw);
  new ResizeObserver(() => {
    if (plot.clientWidth !== drawn.width) draw();
  }).observe(plot);
}

if (figure !== null) start();
