// Filters of lists apply without their button (portal/components/form.tsx). The form itself stays, and with it the focus and the cursor.

/** Time after the last key press, in milliseconds. */
const FILTER_DELAY = 300;

/** The page with the values of the form that are not empty. */
function filteredUrl(form) {
  // A field can be named `action`.
  const url = new URL(form.getAttribute('action'), location.href);
  for (const [name, value] of new FormData(form)) if (value !== '') url.searchParams.append(name, value);
  return url.href;
}

/** Replaces the results with those of another page. @returns false if the page has other parts, such as an error */
function replaceResults(page) {
  const partsOf = (root) => [...root.querySelectorAll('[data-results]')];
  const [old, fresh] = [partsOf(document), partsOf(page)];
  if (old.length === 0 || old.length !== fresh.length) return false;
  for (const [index, part] of old.entries()) part.replaceChildren(...fresh[index].childNodes);
  for (const button of document.querySelectorAll('[data-results] button[data-copy]')) enableCopying(button);
  announcement.textContent = document.querySelector('[data-announce]')?.textContent ?? '';
  return true;
}

/** Sets the fields to the values in the address of the page. */
function fillFilter(form) {
  const query = new URLSearchParams(location.search);
  for (const field of form.querySelectorAll('[name]'))
    field.value = query.get(field.name) ?? field.options?.[0].value ?? '';
}

function startFilter(form) {
  let timer;
  let request = new AbortController();
  let shown = filteredUrl(form);

  /** Without the results, the browser loads the page, which shows errors or the sign-in form. */
  async function load(url) {
    request.abort();
    request = new AbortController();
    const { signal } = request;
    try {
      const response = await fetch(url, { signal });
      const page = new DOMParser().parseFromString(await response.text(), 'text/html');
      if (signal.aborted) return false;
      if (response.ok && !response.redirected && replaceResults(page)) return true;
    } catch {
      if (signal.aborted) return false;
    }
    location.assign(url);
    return false;
  }

  async function apply() {
    clearTimeout(timer);
    const url = filteredUrl(form);
    if (url === shown) return;
    shown = url;
    if (await load(url)) history.pushState({ isFiltered: true }, '', url);
  }

  function applyLater() {
    clearTimeout(timer);
    timer = setTimeout(apply, FILTER_DELAY);
  }

  history.replaceState({ isFiltered: true }, '');
  form.querySelector('button[type="submit"]').hidden = true;
  form.parentElement.querySelector('#filter-note').hidden = false;
  form.addEventListener('input', ({ isComposing, target }) => {
    if (!isComposing && target.matches('input')) applyLater();
  });
  form.addEventListener('compositionend', applyLater);
  form.addEventListener('change', ({ target }) => {
    if (target.matches('select')) void apply();
  });
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    void apply();
  });
  addEventListener('popstate', ({ state }) => {
    if (!state?.isFiltered) return;
    fillFilter(form);
    shown = filteredUrl(form);
    void load(location.href);
  });
}

const filterForm = document.querySelector('form[data-live]');
if (filterForm !== null) startFilter(filterForm);
