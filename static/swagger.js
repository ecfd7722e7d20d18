/**
 * Starts Swagger UI with this server's OpenAPI document, and replaces the parts of it that are not accessible or do not look like
 * the other pages.
 */
const response = await fetch('/swagger/json');
const spec = await response.json();
// "Try it out" uses the host of this page, not the public URL.
spec.servers = [{ url: location.origin }];

/** The plugin of Swagger UI. https://swagger.io/docs/open-source-tools/swagger-ui/customization/plugin-api/ */
function createPlugin({ React: { createElement: h } }) {
  function Layout({ specSelectors, getComponent }) {
    const Markdown = getComponent('Markdown', true);
    const [, ...sections] = specSelectors.info().get('description').split('\n\n');
    const conventions = h(Markdown, { source: sections.join('\n\n') });
    return h(
      'div',
      { className: 'swagger-ui' },
      h('details', { className: 'conventions' }, h('summary', null, 'Envelopes and codes'), conventions),
      h(getComponent('operations', true)),
    );
  }

  function OperationTag({ tag, tagObj, children, layoutSelectors, layoutActions, getComponent }) {
    const key = ['operations-tag', tag];
    const isOpen = layoutSelectors.isShown(key, true);
    const toggle = () => layoutActions.show(key, !isOpen);
    const description = tagObj.getIn(['tagDetails', 'description']);
    return h(
      'section',
      { className: 'opblock-tag-section', ref: (element) => layoutActions.readyToScroll(key, element) },
      h('h2', { className: 'opblock-tag' }, h('button', { 'aria-expanded': isOpen, onClick: toggle }, tag)),
      description && h(getComponent('Markdown', true), { source: description }),
      isOpen && children,
    );
  }

  /** A row that is one button. The original has a link within a button, and two more buttons. */
  function OperationSummary({ isShown, toggleShown, operationProps }) {
    const { method, path, summary, op, security } = operationProps.toObject();
    const keys = security ? security.toJS().flatMap(Object.keys) : [];
    const parts = path.split(/(?=\/)/).flatMap((part) => [h('wbr'), part]);
    const row = [
      h('span', { className: `method ${method}` }, method.toUpperCase()),
      h('span', { className: 'opblock-summary-path', 'data-path': path }, ...parts),
      h('span', { className: 'summary' }, op.get('summary') ?? summary),
      h('span', { className: 'scope' }, keys.map((name) => name.replace('Key', ' key')).join(' or ')),
    ];
    const button = { className: 'opblock-summary-control', 'aria-expanded': isShown, onClick: toggleShown };
    return h('h3', { className: 'opblock-summary' }, h('button', button, ...row));
  }

  const HighlightCode = ({ children }) =>
    h('div', { className: 'code', ref: addCopyButtonOnce }, h('pre', null, children));

  const Curl = ({ request, fn }) =>
    h(
      'div',
      null,
      h('h4', null, 'Command'),
      h(HighlightCode, null, fn.requestSnippetGenerator_curl_bash(request)),
    );

  const named = (Original) => (props) =>
    h('label', null, h('span', { className: 'unseen' }, props.description ?? 'Example'), h(Original, props));

  return {
    components: { Layout, OperationTag, OperationSummary, HighlightCode, curl: Curl },
    wrapComponents: {
      JsonSchemaForm: named,
      ExamplesSelect: named,
      headers: (Original) => (props) =>
        h('details', { className: 'headers' }, h('summary', null, 'Headers'), h(Original, props)),
      responses: (Original) => (props) =>
        h('div', { ref: (element) => correctTables(element) }, h(Original, props)),
      TextArea: (Original) => (props) => h(Original, { ...props, 'aria-label': 'Request body' }),
    },
    statePlugins: { layout: { wrapActions: { scrollToElement } } },
  };
}

/** The original ignores the header, which covers the top of the window. */
function scrollToElement(_original, { layoutActions }) {
  return (element) => {
    element?.scrollIntoView();
    layoutActions.clearScrollTo();
  };
}

/** The tables of responses have no header cells, and are regions instead of tables. */
function correctTables(element) {
  for (const table of element?.querySelectorAll('.responses-table') ?? []) table.removeAttribute('role');
  for (const cell of element?.querySelectorAll('.col_header') ?? [])
    cell.setAttribute('role', 'columnheader');
}

/** `addCopyButton` is in `pages.js`. */
function addCopyButtonOnce(block) {
  if (block !== null && block.querySelector('.copy') === null) window.addCopyButton(block);
}

const ui = window.SwaggerUIBundle({
  spec,
  dom_id: '#swagger-ui',
  presets: [window.SwaggerUIBundle.presets.apis],
  plugins: [createPlugin],
  layout: 'Layout',
  deepLinking: true,
  displayRequestDuration: true,
  // The default is a service on the internet.
  validatorUrl: null,
});

/** The API key is kept in the storage of this tab, which ends with the tab, and is sent only in a header. */
const STORAGE_KEY = 'postern-api-key';
const form = document.querySelector('.key');
const [input, status, forget] = ['input', 'output', '[type=reset]'].map((part) => form.querySelector(part));

const schemes = Object.keys(spec.components.securitySchemes);

function useKey(key) {
  for (const scheme of schemes) ui.preauthorizeApiKey(scheme, key);
  showState(true);
}

function showState(isUsed) {
  form.classList.toggle('used', isUsed);
  status.textContent = isUsed ? '“Try it out” sends your key.' : '';
}

form.addEventListener('submit', (event) => {
  event.preventDefault();
  const key = input.value.trim();
  input.value = '';
  if (key === '') return;
  useKey(key);
  forget.focus();
  // Last, because it fails if the user has blocked storage.
  sessionStorage.setItem(STORAGE_KEY, key);
});
form.addEventListener('reset', () => {
  sessionStorage.removeItem(STORAGE_KEY);
  ui.authActions.logout(schemes);
  showState(false);
  input.focus();
});
const kept = sessionStorage.getItem(STORAGE_KEY);
if (kept !== null) useKey(kept);
