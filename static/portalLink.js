// Moves a token from the address's fragment, which no server and no proxy sees, into the form that sends it by POST.

function openLink() {
  const token = new URLSearchParams(location.hash.slice(1)).get('token');
  const form = document.getElementById('open-link');
  if (token === null || form === null) return;
  // The browser's history keeps no token.
  history.replaceState(null, '', location.pathname);
  form.elements.link.value = token;
  form.submit();
}

openLink();
// A link that is pasted into the address bar of the same page loads nothing.
addEventListener('hashchange', openLink);
