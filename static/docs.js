/** The documentation: results while the reader types, the shortcut for the search, and the current section in the table of contents. */
const form = document.querySelector('.bar .finder');
const field = form?.querySelector('input');
const DELAY_MS = 120;

if (field !== undefined && field !== null) {
  const panel = document.createElement('div');
  panel.className = 'found';
  panel.hidden = true;
  panel.setAttribute('aria-label', 'Search results');
  panel.setAttribute('role', 'region');
  // Screen readers announce only changes of an element that is already on the page.
  const count = document.createElement('p');
  count.className = 'visually-hidden';
  count.setAttribute('role', 'status');
  form.append(panel, count);
  let timer;
  let running;

  const search = async () => {
    running?.abort();
    const words = field.value.trim();
    if (words === '') {
      panel.hidden = true;
      count.textContent = '';
      return;
    }
    running = new AbortController();
    try {
      const response = await fetch(`${form.action}?q=${encodeURIComponent(words)}`, {
        signal: running.signal,
      });
      const page = new DOMParser().parseFromString(await response.text(), 'text/html');
      panel.replaceChildren(...page.querySelectorAll('#results > *'));
      const shown = panel.querySelector('.count');
      shown?.removeAttribute('role');
      count.textContent = shown?.textContent ?? '';
      panel.hidden = false;
    } catch {
      // A newer search replaced this one, or the server is not available; the form still works.
    }
  };

  field.addEventListener('input', () => {
    clearTimeout(timer);
    timer = setTimeout(search, DELAY_MS);
  });
  field.addEventListener('focus', () => {
    panel.hidden = field.value.trim() === '' || panel.childElementCount === 0;
  });
  form.addEventListener('focusout', ({ relatedTarget }) => {
    if (!form.contains(relatedTarget)) panel.hidden = true;
  });
  // A click on a result must not move the focus before the link is opened.
  panel.addEventListener('mousedown', (event) => event.preventDefault());
  form.addEventListener('keydown', (event) => {
    if (event.key === 'Escape') {
      panel.hidden = true;
      field.focus();
    }
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step === undefined || panel.hidden) return;
    const stops = [field, ...panel.querySelectorAll('a')];
    const next = stops[stops.indexOf(document.activeElement) + step];
    if (next === undefined) return;
    event.preventDefault();
    next.focus();
  });
}

// With a modifier key: a single character would act on readers who dictate or press keys by accident (WCAG 2.2, success criterion 2.1.4).
document.addEventListener('keydown', (event) => {
  if (event.key !== 'k' || !(event.ctrlKey || event.metaKey) || event.shiftKey || event.altKey) return;
  const target = [...document.querySelectorAll('input[type=search]')].find((input) =>
    input.checkVisibility(),
  );
  if (target === undefined) return;
  event.preventDefault();
  target.focus();
  target.select();
});

const entries = new Map([...document.querySelectorAll('.toc a')].map((link) => [link.hash.slice(1), link]));
const headings = [...entries.keys()]
  .map((id) => document.getElementById(id))
  .filter((heading) => heading !== null);

/** Marks the last heading above the upper third of the window. */
function markCurrent() {
  const limit = innerHeight / 3;
  const above = headings.filter((heading) => heading.getBoundingClientRect().top < limit);
  const current = entries.get((above.at(-1) ?? headings[0])?.id);
  for (const link of entries.values()) {
    if (link === current) link.setAttribute('aria-current', 'true');
    else link.removeAttribute('aria-current');
  }
}

if (headings.length > 0) {
  let isWaiting = false;
  const mark = () => {
    if (isWaiting) return;
    isWaiting = true;
    requestAnimationFrame(() => {
      isWaiting = false;
      markCurrent();
    });
  };
  addEventListener('scroll', mark, { passive: true });
  addEventListener('resize', mark);
  markCurrent();
}

const tree = document.querySelector('.tree');
const current = tree?.querySelector('[aria-current]');
if (current) tree.scrollTop = current.offsetTop - tree.clientHeight / 2;
