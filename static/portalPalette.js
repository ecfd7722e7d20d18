// The command palette: Ctrl+K, or ⌘K on Apple devices. portal/kit/palette.tsx has its elements, portal/home/commands.ts its contents.

const palette = document.querySelector('#palette');

if (palette !== null) {
  const isApple = /^(?:Mac|iP)/.test(navigator.platform);
  /** Milliseconds without a key before the results are requested. */
  const PAUSE_MS = 120;

  const input = palette.querySelector('input');
  const list = palette.querySelector('[role="listbox"]');
  const status = palette.querySelector('[role="status"]');
  let options = [];
  let active = -1;
  let request;
  let timer;

  function activate(index) {
    options[active]?.setAttribute('aria-selected', 'false');
    active = index;
    const option = options[index];
    if (option === undefined) {
      input.removeAttribute('aria-activedescendant');
      return;
    }
    option.setAttribute('aria-selected', 'true');
    option.scrollIntoView({ block: 'nearest' });
    input.setAttribute('aria-activedescendant', option.id);
  }

  function part(name, text) {
    const element = document.createElement(name);
    element.textContent = text;
    return element;
  }

  function optionOf({ text, detail = '', path, isForm = false }) {
    const option = document.createElement('div');
    option.setAttribute('role', 'option');
    option.setAttribute('aria-selected', 'false');
    option.id = `palette-${options.push(option)}`;
    option.append(part('bdi', text), part('span', detail));
    option.addEventListener('click', () => {
      palette.close();
      if (isForm) document.querySelector(`form[action="${path}"]`).requestSubmit();
      else location.assign(path);
    });
    return option;
  }

  function show({ status: text, groups }) {
    options = [];
    const shown = groups.map(({ title, items }) => {
      const group = document.createElement('div');
      group.setAttribute('role', 'group');
      group.setAttribute('aria-label', title);
      const heading = part('p', title);
      heading.setAttribute('aria-hidden', 'true');
      group.append(heading, ...items.map(optionOf));
      return group;
    });
    list.replaceChildren(...shown);
    input.setAttribute('aria-expanded', String(options.length > 0));
    status.textContent = text;
    active = -1;
    activate(options.length > 0 ? 0 : -1);
  }

  async function update() {
    request?.abort();
    request = new AbortController();
    const { signal } = request;
    try {
      const response = await fetch(`/portal/palette?${new URLSearchParams({ q: input.value })}`, {
        signal,
      });
      if (!response.ok) throw new Error(String(response.status));
      show(await response.json());
    } catch {
      if (!signal.aborted) show({ status: status.dataset.problem, groups: [] });
    }
  }

  input.addEventListener('input', () => {
    // The results are those of another text.
    activate(-1);
    clearTimeout(timer);
    timer = setTimeout(update, PAUSE_MS);
  });

  input.addEventListener('keydown', (event) => {
    const { key, isComposing } = event;
    const step = { ArrowDown: 1, ArrowUp: -1 }[key];
    if (isComposing || options.length === 0) return;
    if (step !== undefined)
      activate((Math.max(active, step < 0 ? 0 : -1) + step + options.length) % options.length);
    else if (key === 'Enter' && active >= 0) options[active].click();
    else return;
    event.preventDefault();
  });

  document.addEventListener('keydown', (event) => {
    const { key, ctrlKey, metaKey, altKey, shiftKey, repeat } = event;
    const isModified = (isApple ? metaKey && !ctrlKey : ctrlKey && !metaKey) && !altKey && !shiftKey;
    if (!isModified || key.toLowerCase() !== 'k' || repeat) return;
    event.preventDefault();
    if (palette.open) palette.close();
    if (document.querySelector('dialog[open]') !== null) return;
    palette.showModal();
    input.select();
    void update();
  });
}
