// Updates the page when the first solution is verified.

const section = document.getElementById('state');

/** @returns whether to stop polling */
async function update() {
  const response = await fetch(section.dataset.state, { redirect: 'error' });
  if (!response.ok) return true;
  const { issued, verified, failed } = await response.json();
  const sentence = section.dataset[failed > 0 ? 'failed' : issued > 0 ? 'issued' : 'none'];
  const seen = document.getElementById('seen');
  if (seen.textContent !== sentence) seen.textContent = sentence;
  if (verified === 0) return false;
  section.classList.add('done');
  section.querySelector('h2').textContent = section.dataset.verified;
  const [waiting, done] = section.querySelectorAll(':scope > div');
  waiting.hidden = true;
  done.hidden = false;
  for (const step of document.querySelectorAll('.progress li')) {
    step.classList.add('past');
    step.removeAttribute('aria-current');
  }
  return true;
}

/** Polls for half an hour, so that a forgotten page does not keep its session alive. */
let attemptsLeft = 900;

/** Polls every two seconds while the page is visible. Failed requests are repeated. */
function poll() {
  if (attemptsLeft-- === 0) {
    document.getElementById('refresh').hidden = false;
    return;
  }
  setTimeout(async () => {
    const isOver = document.hidden ? false : await update().catch(() => false);
    if (!isOver) poll();
  }, 2000);
}

if (section !== null && !section.classList.contains('done')) {
  document.getElementById('refresh').hidden = true;
  poll();
}
