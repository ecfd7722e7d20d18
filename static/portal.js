// Optional conveniences: the pages work without scripts.

/** Screen readers do not announce the new text of a button, in particular if it has an `aria-label`. */
const announcement = document.createElement('p');
announcement.className = 'visually-hidden';
announcement.setAttribute('role', 'status');
document.querySelector('main').append(announcement);

function enableCopying(button) {
  const label = button.textContent;
  const isIcon = label === '';
  button.hidden = navigator.clipboard === undefined;
  button.addEventListener('click', async () => {
    await navigator.clipboard.writeText(document.getElementById(button.dataset.copy).textContent);
    announcement.textContent = button.dataset.copied;
    if (isIcon) button.classList.add('done');
    else button.textContent = button.dataset.copied;
    setTimeout(() => {
      if (isIcon) button.classList.remove('done');
      else button.textContent = label;
      announcement.textContent = '';
    }, 2000);
  });
}

for (const button of document.querySelectorAll('button[data-copy]')) enableCopying(button);

/** A rough estimate of a password's strength in bits. Repeated and consecutive characters count little. */
function bitsOf(password) {
  const kinds = [
    [/[a-z]/, 26],
    [/[A-Z]/, 26],
    [/[0-9]/, 10],
    [/[^a-zA-Z0-9]/, 32],
  ];
  const alphabet = kinds.reduce((sum, [kind, size]) => sum + (kind.test(password) ? size : 0), 0);
  const counted = [...password].filter((character, at, all) => {
    const step = at === 0 ? 9 : Math.abs(character.codePointAt(0) - all[at - 1].codePointAt(0));
    return step > 1;
  });
  return counted.length * Math.log2(Math.max(alphabet, 2)) * Math.min(1, new Set(counted).size / 6);
}

const STRENGTHS = [
  [0, 'weak'],
  [45, 'fair'],
  [70, 'strong'],
];

for (const output of document.querySelectorAll('[data-strength-of]')) {
  const input = document.getElementById(output.dataset.strengthOf);
  input.addEventListener('input', () => {
    const bits = bitsOf(input.value);
    const [, name] = STRENGTHS.findLast(([least]) => bits >= least);
    const text = output.dataset[name];
    output.hidden = input.value === '';
    output.dataset.strength = name;
    if (output.textContent !== text) output.textContent = text;
  });
}

/** What a page says about the state of an unfinished task. */
function taskStateIn(page) {
  const parts = page.querySelectorAll('main .badge, [data-reload], [data-reload] ~ p');
  return [...parts].map(({ textContent }) => textContent).join();
}

const unfinished = document.querySelector('[data-reload]');

/** Reloads the page when the state has changed, not before: a reload moves the focus and interrupts screen readers. */
async function watchTask() {
  try {
    const response = await fetch(location.href);
    const page = new DOMParser().parseFromString(await response.text(), 'text/html');
    if (taskStateIn(page) !== taskStateIn(document)) {
      location.reload();
      return;
    }
  } catch {
    // The server is not available for the moment.
  }
  setTimeout(watchTask, unfinished.dataset.reload * 1000);
}

if (unfinished !== null) setTimeout(watchTask, unfinished.dataset.reload * 1000);

// In a narrow window, the current tab may be outside of the visible part of the line.
for (const tabs of document.querySelectorAll('.tab-line')) {
  const showCurrentTab = () => {
    const current = tabs.querySelector(':has(> [aria-current], > :checked)');
    if (current === null) return;
    const before = current.offsetLeft - tabs.offsetLeft;
    tabs.scrollLeft = before - (tabs.clientWidth - current.offsetWidth) / 2;
  };
  showCurrentTab();
  addEventListener('resize', showCurrentTab);
  // Browsers do not scroll to a tab of which a few pixels are visible.
  tabs.addEventListener('focusin', ({ target }) =>
    target.scrollIntoView({ block: 'nearest', inline: 'nearest' }),
  );
}

// The server shows the times of the next pages in this time zone, unless the user prefers UTC.
{
  const { timeZone } = new Intl.DateTimeFormat().resolvedOptions();
  const [prefix, secure] = location.protocol === 'https:' ? ['__Host-', '; Secure'] : ['', ''];
  // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API is unavailable on http
  document.cookie = `${prefix}postern-zone=${timeZone}; Path=/; SameSite=Lax; Max-Age=31536000${secure}`;
}

for (const button of document.querySelectorAll('button[data-reveal]')) {
  const input = document.getElementById(button.dataset.reveal);
  const reveal = (isRevealed) => {
    input.type = isRevealed ? 'text' : 'password';
    button.setAttribute('aria-pressed', String(isRevealed));
  };
  button.hidden = false;
  button.addEventListener('click', () => reveal(input.type === 'password'));
  // Password managers expect a password field, and browsers remember the values of text fields.
  input.form.addEventListener('submit', () => reveal(false));
  addEventListener('pageshow', () => reveal(false));
}

/** Shows the time until the end of attack mode: `59:59`. The banner disappears when it is over. */
function countDown(element) {
  const seconds = Math.ceil((Date.parse(element.dataset.until) - Date.now()) / 1000);
  element.hidden = false;
  element.textContent = `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
  if (seconds > 0) setTimeout(countDown, 1000, element);
  else element.closest('.attack').remove();
}

for (const element of document.querySelectorAll('.countdown')) countDown(element);
