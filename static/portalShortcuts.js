// Keyboard shortcuts: the elements with a data-shortcut attribute name the keys.

{
  const STORAGE_KEY = 'postern-shortcuts';
  /** Milliseconds in which the second key of a sequence must follow. */
  const SEQUENCE_MS = 1500;

  /** The storage may be unavailable, for example with blocked cookies. Shortcuts are then on. */
  function areOn() {
    try {
      return localStorage.getItem(STORAGE_KEY) !== 'off';
    } catch {
      return true;
    }
  }

  function turn(isOn) {
    try {
      localStorage.setItem(STORAGE_KEY, isOn ? 'on' : 'off');
    } catch {
      // The choice applies to this page only.
    }
  }

  const targets = new Map();
  for (const element of document.querySelectorAll('[data-shortcut]'))
    targets.set(element.dataset.shortcut, element);

  /** In particular, a checkbox accepts no text. It keeps the focus for a moment after its dialog is closed. */
  function isTyping({ target }) {
    return (
      target.closest(
        'input:not([type="checkbox"], [type="radio"]), textarea, select, [contenteditable], [role="textbox"]',
      ) !== null
    );
  }

  function perform(element) {
    if (element.matches('input')) {
      element.focus();
      element.select();
    } else if (element.hasAttribute('data-shortcut-list')) openList(element).catch(() => element.click());
    else element.click();
  }

  const dialog = document.querySelector('#shortcuts-dialog');
  let filling;

  /** Shows the list of the page with all shortcuts in a dialog. */
  async function openList(link) {
    // The page itself is the list.
    if (link.pathname === location.pathname) return;
    filling ??= fill(link);
    await filling;
    if (!dialog.open) dialog.showModal();
  }

  /** @throws if the page is not available, in particular because the session has ended */
  async function fill(link) {
    const response = await fetch(link.href);
    const page = new DOMParser().parseFromString(await response.text(), 'text/html');
    dialog.append(document.adoptNode(page.querySelector('#shortcuts')));
    prepare(dialog);
  }

  /** Shows the parts of the list that need the script. */
  function prepare(root) {
    for (const part of root.querySelectorAll('[data-needs-script]')) part.hidden = false;
    const box = root.querySelector('#use-shortcuts');
    if (box === null) return;
    box.checked = areOn();
    box.addEventListener('change', () => turn(box.checked));
  }

  let first;
  let expires = 0;

  document.addEventListener('keydown', (event) => {
    const { key, ctrlKey, metaKey, altKey, repeat, isComposing, defaultPrevented } = event;
    if (ctrlKey || metaKey || altKey || repeat || isComposing || defaultPrevented) return;
    if (!areOn() || isTyping(event) || document.querySelector('dialog[open]')) return;
    const sequence = first !== undefined && event.timeStamp < expires ? `${first} ${key}` : key;
    const element = targets.get(sequence) ?? targets.get(key);
    first = element === undefined && /^[a-z]$/.test(key) ? key : undefined;
    expires = event.timeStamp + SEQUENCE_MS;
    if (element === undefined) return;
    event.preventDefault();
    perform(element);
  });

  prepare(document.body);
}
