/** Starts Swagger UI with the document of this host, in the theme that the visitor prefers. */
const dark = window.matchMedia('(prefers-color-scheme: dark)');
const applyTheme = () => document.documentElement.classList.toggle('dark-mode', dark.matches);
applyTheme();
dark.addEventListener('change', applyTheme);

const answer = await fetch('/swagger/json');
const spec = await answer.json();
// However this page was reached: what is tried out here asks the host that the page is from.
spec.servers = [{ url: location.origin }];
window.SwaggerUIBundle({
  spec,
  dom_id: '#swagger-ui',
  presets: [window.SwaggerUIBundle.presets.apis],
  layout: 'BaseLayout',
  deepLinking: true,
  displayRequestDuration: true,
  // A key that is typed in is gone with the page.
  persistAuthorization: false,
  // Its default is a service on the web.
  validatorUrl: null,
});
