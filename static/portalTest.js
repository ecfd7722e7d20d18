// Shows each step of a verification. The texts are in attributes of the page.

const steps = document.getElementById('steps');
const texts = JSON.parse(steps.dataset.texts);
const form = document.getElementById('test');
const button = document.getElementById('run');
const element = form.querySelector('.postern-captcha');
const answer = document.getElementById('answer');
const endpoint = new URL(element.dataset.puzzleEndpoint, location.href);

const NAMES = ['fetch', 'solve', 'send', 'verdict'];

/** When the current step began, in milliseconds. */
let began = 0;
let isRunning = false;

function fill(text, values) {
  return text.replaceAll(/\{\{(\w+)\}\}/g, (_, name) => {
    const value = values[name];
    return typeof value === 'number' ? value.toLocaleString(document.documentElement.lang) : String(value);
  });
}

/** @param state `waiting`, `running`, `done`, `failed`, or `skipped` */
function show(name, state, text) {
  const step = document.getElementById(`step-${name}`);
  step.dataset.state = state;
  step.querySelector('.result').textContent = text;
}

function start(name) {
  began = performance.now();
  show(name, 'running', texts.running);
}

function elapsed() {
  return Math.round(performance.now() - began);
}

/** Marks a step as failed, and the following steps as not reached. */
function fail(name, text) {
  show(name, 'failed', text);
  for (const later of NAMES.slice(NAMES.indexOf(name) + 1)) show(later, 'skipped', texts.skipped);
  finish();
}

function finish() {
  isRunning = false;
  button.textContent = button.dataset.again;
  button.disabled = false;
}

function reset() {
  isRunning = true;
  for (const name of NAMES) show(name, 'waiting', texts.waiting);
  answer.hidden = true;
  button.disabled = true;
  performance.clearResourceTimings();
  start('fetch');
}

/** The last request for a puzzle: its duration and size. */
function puzzleRequest() {
  const requests = performance.getEntriesByType('resource');
  return requests.findLast(({ name }) => new URL(name).pathname === endpoint.pathname);
}

/** Parses the first part of a solution: version, error, usedWasm, and milliseconds (u32). */
function parseSolution(solution) {
  const bytes = Uint8Array.from(atob(solution.split('.')[0]), (unit) => unit.charCodeAt(0));
  return { usesWasm: bytes[2] === 1, ms: new DataView(bytes.buffer).getUint32(3, true) };
}

/** What is added to the difficulty of a puzzle for its level, by the number of the kind of work: BLAKE2b, argon2id, and HashWX. */
const LEVEL_OFFSETS = [0, 128, 36];

/** The difficulty is in byte 25 of the puzzle, which is the second part of a solution. */
function difficultyOf(solution) {
  const puzzle = atob(solution.split('.')[1]);
  if (puzzle.charCodeAt(0) === 1) return puzzle.charCodeAt(25);
  return puzzle.charCodeAt(26) + LEVEL_OFFSETS[puzzle.charCodeAt(1)];
}

async function send(solution) {
  start('send');
  const body = new URLSearchParams(new FormData(form));
  body.set('solution', solution);
  let response;
  try {
    response = await fetch(form.action, { method: 'POST', body, redirect: 'error' });
  } catch {
    fail('send', texts.causes.network);
    return;
  }
  if (!response.ok) {
    fail('send', texts.causes.session);
    return;
  }
  const verdict = await response.json();
  show('send', 'done', fill(texts.sendDone, { sent: solution.length, ms: elapsed() }));
  show('verdict', verdict.success ? 'done' : 'failed', verdict.sentence);
  answer.hidden = false;
  answer.querySelector('pre').textContent = JSON.stringify(verdict.answer, null, 2);
  finish();
}

/** Requests a puzzle again to learn why the widget did not get one. */
async function explain() {
  try {
    const response = await fetch(endpoint, { credentials: 'omit' });
    if (response.ok) return undefined;
    const { problem } = await response.json();
    return texts.causes[problem] ?? texts.causes.session;
  } catch {
    return texts.causes.network;
  }
}

element.addEventListener('postern:start', () => {
  if (!isRunning) reset();
});

element.addEventListener('postern:finish', ({ detail: { solution } }) => {
  const { duration = 0, encodedBodySize = 0 } = puzzleRequest() ?? {};
  const level = difficultyOf(solution);
  show('fetch', 'done', fill(texts.fetchDone, { bytes: encodedBodySize, ms: Math.round(duration), level }));
  const { usesWasm, ms } = parseSolution(solution);
  const how = usesWasm ? texts.wasm : texts.script;
  show('solve', 'done', fill(texts.solveDone, { ms, how, bytes: solution.length }));
  void send(solution);
});

element.addEventListener('postern:error', async ({ detail }) => {
  const cause = await explain();
  if (cause !== undefined) {
    fail('fetch', cause);
    return;
  }
  show('fetch', 'done', '');
  fail('solve', fill(texts.causes.solve, { reason: detail.reason }));
});

button.hidden = false;
button.addEventListener('click', () => {
  if (window.postern === undefined) {
    reset();
    fail('fetch', texts.causes.widget);
    return;
  }
  const widget = window.postern.render(element);
  widget.reset();
  reset();
  widget.execute();
});
