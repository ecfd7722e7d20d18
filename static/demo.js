/** The demo page: buttons that start a check, and a log of the widgets' events. */
for (const button of document.querySelectorAll('button[data-start]')) {
  button.addEventListener('click', () => {
    window.postern.start(button.form.querySelector('.postern-captcha'));
  });
}

const log = document.querySelector('#events');
for (const kind of ['init', 'start', 'progress', 'finish', 'error', 'reset']) {
  document.addEventListener(`postern:${kind}`, ({ target, detail }) => {
    const line = document.createElement('li');
    const more = { progress: `${detail.percent}%`, error: `${detail.problem} ${detail.reason}` }[kind] ?? '';
    line.textContent = `${target.dataset.name ?? 'form'}: postern:${kind} ${more}`;
    log.prepend(line);
    while (log.children.length > 20) log.lastChild.remove();
  });
}
