// Reduces a URL in the field for the domain to its host, and shows what a level costs. The server does the same checks.

const domain = document.getElementById('domain');
const note = document.getElementById('domain-note');

/** @returns the host of a URL; undefined if the text is not a URL whose host can be a domain */
function hostOf(text) {
  const hasScheme = /^[a-z][a-z0-9+.-]*:\/\/./i.test(text);
  const isUrl = hasScheme || (/^[^\s/?#@:,]+(:\d{1,5})?([/?#]\S*)?$/.test(text) && /[/?#:]/.test(text));
  if (!isUrl) return undefined;
  const url = URL.parse(hasScheme ? text.replace(/^[^:]+/, 'http') : `http://${text}`);
  const host = url?.hostname.replace(/\.$/, '') ?? '';
  return /^[a-z0-9-]+(\.[a-z0-9-]+)*\.[a-z][a-z0-9-]*$/.test(host) ? host : undefined;
}

// Only when a URL is pasted: if the note appeared when the field loses the focus, the button would move away from the pointer.
domain.addEventListener('input', ({ inputType }) => {
  const entered = domain.value.trim();
  const host = inputType === 'insertFromPaste' ? hostOf(entered) : undefined;
  note.hidden = host === undefined;
  if (host === undefined) return;
  domain.value = host;
  note.textContent = note.dataset.text.replace('{{url}}', entered.slice(0, 200));
});

const levels = [...document.querySelectorAll('input[name="level"]')];
const custom = document.getElementById('custom_level');

// The server rejects an exact level with a named one.
for (const level of levels) {
  level.addEventListener('change', () => {
    if (level.value !== 'custom') custom.value = '';
  });
}

const cost = document.getElementById('level-cost');
const challenge = document.getElementById('challenge');
let costWanted = '';

/** Shows what the selected level costs, and the times of the selected kind. An incomplete exact level changes nothing. */
async function showCost() {
  for (const time of document.querySelectorAll('.preset [data-challenge]'))
    time.hidden = time.dataset.challenge !== challenge.value;
  const selected = levels.find(({ checked }) => checked)?.value;
  const level = selected === 'custom' ? custom.value : selected;
  const wanted = new URLSearchParams({ level, challenge: challenge.value }).toString();
  if (wanted === costWanted) return;
  costWanted = wanted;
  const response = await fetch(`${cost.dataset.path}?${wanted}`).catch(() => undefined);
  if (response?.status !== 200) return;
  const markup = await response.text();
  if (wanted === costWanted) cost.innerHTML = markup;
}

if (cost !== null) {
  for (const input of [...levels, custom, challenge]) input.addEventListener('input', showCost);
}
