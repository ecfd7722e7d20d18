// Checks regularly whether the first verification has arrived.

const SENTENCES = {
  none: 'Nothing has come yet.',
  issued: 'The widget has fetched a puzzle: the page is right.',
  failed: 'A verification came and was refused. The dashboard tells why.',
};

const section = document.getElementById('state');

async function look() {
  const response = await fetch(section.dataset.state, { redirect: 'error' });
  if (!response.ok) return true;
  const { issued, verified, failed } = await response.json();
  const sentence = failed > 0 ? SENTENCES.failed : issued > 0 ? SENTENCES.issued : SENTENCES.none;
  const seen = document.getElementById('seen');
  if (seen.textContent !== sentence) seen.textContent = sentence;
  if (verified === 0) return false;
  section.classList.add('done');
  section.querySelector('h2').textContent = 'Verified';
  const [waiting, done] = section.querySelectorAll(':scope > div');
  waiting.hidden = true;
  done.hidden = false;
  for (const step of document.querySelectorAll('.progress li')) {
    step.classList.add('past');
    step.removeAttribute('aria-current');
  }
  return true;
}

/** Stops after half an hour, so that a forgotten page does not keep a session alive. */
let looksLeft = 900;

/** A hidden page sends no requests. A failed request is repeated. */
function lookSoon() {
  if (looksLeft-- === 0) {
    document.getElementById('refresh').hidden = false;
    return;
  }
  setTimeout(async () => {
    const isOver = document.hidden ? false : await look().catch(() => false);
    if (!isOver) lookSoon();
  }, 2000);
}

if (section !== null && !section.classList.contains('done')) {
  document.getElementById('refresh').hidden = true;
  lookSoon();
}
