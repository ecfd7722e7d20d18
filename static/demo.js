/** The demo page: its galleries, and a log of the widgets' events. */

const realFetch = window.fetch;
const BrowserAbortController = window.AbortController;

/** What the puzzle endpoints of the gallery of states respond. Only these responses are simulated, not the widgets. */
const SIMULATED = {
  checking: () => new Promise(() => {}),
  // Without a reason, the widget shows the text for visitors on localhost, too.
  error: async () => Response.json({ meta: { description: '' } }, { status: 403 }),
  async expired(url) {
    const puzzle = new URL(url);
    puzzle.pathname = '/puzzle';
    const response = await realFetch(puzzle);
    // For the widget, a puzzle is expired if the server's clock says so.
    const tomorrow = new Date(Date.now() + 86_400_000).toUTCString();
    return new Response(await response.text(), { status: response.status, headers: { Date: tomorrow } });
  },
  offline: async () => {
    throw new TypeError('no network');
  },
};

window.fetch = (url, options) => {
  const [, state] = /\/demo\/states\/(\w+)/.exec(url) ?? [];
  return state === undefined ? realFetch(url, options) : SIMULATED[state](url);
};

/** Lets checks that start now fail as in old browsers, without a reason. */
function pretendOldBrowser() {
  window.AbortController = function OldBrowser() {
    throw '';
  };
  setTimeout(() => {
    window.AbortController = BrowserAbortController;
  });
}

function start(element) {
  if (element.dataset.state === 'unsupported') pretendOldBrowser();
  window.postern.start(element);
}

for (const button of document.querySelectorAll('button[data-start]'))
  button.addEventListener('click', () => start(button.form.querySelector('.postern-captcha')));

const observer = new IntersectionObserver((entries) => {
  for (const { isIntersecting, target } of entries) {
    if (!isIntersecting) continue;
    observer.unobserve(target);
    start(target);
  }
});
const states = '#states .postern-captcha';
addEventListener('load', () => {
  for (const element of document.querySelectorAll(`${states}:not([data-state=idle])`))
    observer.observe(element);
});
document.querySelector('[data-state=unsupported]')?.addEventListener('click', pretendOldBrowser, true);
// A check whose request has no response ends after about a minute.
document
  .querySelector('[data-state=checking]')
  ?.addEventListener('postern:error', ({ target }) => start(target));

const log = document.querySelector('#events');
for (const kind of ['init', 'start', 'progress', 'finish', 'error', 'reset']) {
  document.addEventListener(`postern:${kind}`, ({ target, detail }) => {
    if (target.matches(states)) return;
    const line = document.createElement('li');
    const more = { progress: `${detail.percent}%`, error: `${detail.problem} ${detail.reason}` }[kind] ?? '';
    line.textContent = `${target.dataset.name ?? 'form'}: postern:${kind} ${more}`;
    log.prepend(line);
    while (log.children.length > 20) log.lastChild.remove();
  });
}
