// Moves a token from the URL's fragment, which browsers do not send, into a form that sends it by POST.

function openLink() {
  const token = new URLSearchParams(location.hash.slice(1)).get('token');
  const form = document.getElementById('open-link');
  if (token === null || form === null) return;
  // Removes the token from the browser's history.
  history.replaceState(null, '', location.pathname);
  form.elements.link.value = token;
  form.submit();
}

openLink();
// A link that is pasted into the address bar of the same page does not reload the page.
addEventListener('hashchange', openLink);
