// Updates the numbers of a report while the page is visible, and closes the table that replaces the chart without scripts.

/** Replaces the texts of a caption, whose buttons may have the focus. */
function updateCaption(caption, fresh) {
  const textsIn = (root) => [...root.querySelectorAll('[data-value], .when')];
  const [old, replacements] = [textsIn(caption), textsIn(fresh)];
  if (old.length !== replacements.length) caption.replaceWith(fresh);
  else for (const [index, element] of old.entries()) element.textContent = replacements[index].textContent;
}

/** Replaces the parts of the page with those of a newer fragment. @returns false if the page has other parts */
function update(report, markup) {
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
    updateCaption(part.querySelector('figcaption'), replacement.querySelector('figcaption'));
    part.dispatchEvent(new Event('update'));
  }
  return true;
}

/** Asks for new numbers while the page is visible, and stops when the session has ended. */
function goLive(report) {
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
    if (!update(report, markup)) location.reload();
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

const numbers = document.querySelector('details.numbers');
if (numbers !== null) numbers.open = false;
const report = document.querySelector('.report[data-live]');
if (report !== null) goLive(report);
