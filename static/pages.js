/** Adds a button that copies the text to every block of code. */
for (const block of document.querySelectorAll('.code')) addCopyButton(block);

/** Adds a button that copies the text to a block of code. `swagger.js` calls it, too. */
function addCopyButton(block) {
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'copy';
  button.textContent = 'Copy';
  button.setAttribute('aria-live', 'polite');
  button.addEventListener('click', async () => {
    button.textContent = await copy(block.dataset.copy ?? block.querySelector('pre').textContent);
    setTimeout(() => {
      button.textContent = 'Copy';
    }, 2000);
  });
  block.append(button);
}

/** Browsers offer the clipboard only on https and localhost. Otherwise, the text is selected, so that the visitor can copy it. */
async function copy(text) {
  try {
    await navigator.clipboard.writeText(text.trimEnd());
    return 'Copied';
  } catch {
    return 'Not copied: select the text';
  }
}
