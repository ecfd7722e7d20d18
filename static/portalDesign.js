// Shows the widget and its code as soon as an option changes. The server renders both: portal/properties/widgetDesign.tsx.

const form = document.querySelector('#design');
let request;

form.querySelector('button').hidden = true;

form.addEventListener('change', async () => {
  request?.abort();
  request = new AbortController();
  const url = `${form.action}?${new URLSearchParams(new FormData(form))}`;
  try {
    const response = await fetch(url, request);
    const page = new DOMParser().parseFromString(await response.text(), 'text/html');
    for (const selector of ['#preview', '#snippet-design'])
      document.querySelector(selector).replaceChildren(...page.querySelector(selector).childNodes);
    history.replaceState(null, '', url);
  } catch (error) {
    // Loads the page, in particular if the session has ended.
    if (error.name !== 'AbortError') form.submit();
  }
});
