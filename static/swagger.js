/** Starts Swagger UI with this server's OpenAPI document, in the visitor's preferred color scheme. */
const dark = window.matchMedia('(prefers-color-scheme: dark)');
const applyTheme = () => document.documentElement.classList.toggle('dark-mode', dark.matches);
applyTheme();
dark.addEventListener('change', applyTheme);

const response = await fetch('/swagger/json');
const spec = await response.json();
// "Try it out" uses the host of this page, not the public URL.
spec.servers = [{ url: location.origin }];
window.SwaggerUIBundle({
  spec,
  dom_id: '#swagger-ui',
  presets: [window.SwaggerUIBundle.presets.apis],
  layout: 'BaseLayout',
  deepLinking: true,
  displayRequestDuration: true,
  // Does not store API keys.
  persistAuthorization: false,
  // The default is a service on the internet.
  validatorUrl: null,
});
