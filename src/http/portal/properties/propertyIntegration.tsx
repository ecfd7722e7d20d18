import { type Html, html } from '../../../lib/html.ts';
import { card } from '../components/parts.tsx';
import { PropertyHead } from '../kit/assets.tsx';
import { page } from '../kit/layout.tsx';
import { propertyTabs } from '../kit/place.tsx';
import type { PortalDeps, PropertyVisit } from '../kit/route.ts';
import { backendSnippets, KEY_PLACEHOLDER, pageSnippets, type SnippetFacts } from './snippets.ts';

/** `GET /portal/orgs/:org/properties/:property/integration`: what goes into the page, and into the backend. */
export function showIntegration(visit: PropertyVisit, deps: PortalDeps): Response {
  const facts = factsOf(deps, visit, KEY_PLACEHOLDER);
  const key = html`<p>Put an API key that may verify in the place of <code>${KEY_PLACEHOLDER}</code>:
<a href="/portal/settings/api-keys">API keys</a> makes one. Keep it on the server; it must never be in a page.</p>
`;
  const content = html`${propertyTabs(visit, '/integration')}${pageCard(facts, 'In the page')}${backendCard(facts, 'In the backend', key)}`;
  return page(visit, { title: visit.property.name, content, head: <PropertyHead /> });
}

/** @param key an API key, or KEY_PLACEHOLDER */
export function factsOf(
  { baseUrl, pinnedWidget }: PortalDeps,
  { property }: PropertyVisit,
  key: string,
): SnippetFacts {
  return { baseUrl, property, key, pinned: pinnedWidget };
}

/** The script, and the element in the form. */
export function pageCard(facts: SnippetFacts, title: string): Html {
  const { script, pinnedScript, widget } = pageSnippets(facts);
  const pinned = codeBlock('pinned', pinnedScript, 'the script of this version', PINNED);
  return card(
    title,
    html`${codeBlock('script', script, 'the script', 'Once in the page, best in its head:')}<details><summary>A version that never changes</summary>
${pinned}</details>
${codeBlock('widget', widget, 'the widget', 'In the form, where the widget is to be:')}`,
  );
}

const PINNED =
  'Browsers keep this one for ever, and check that it is what it was. It is gone when Postern is upgraded, so the page must be changed along with it.';

/** @param note what is to be said of the key */
export function backendCard(facts: SnippetFacts, title: string, note: Html): Html {
  const blocks = backendSnippets(facts).map(
    ({
      id,
      title,
      wants,
      code,
    }) => html`<details name="backend"${id === 'javascript' ? html` open` : ''}><summary>${title}</summary>
${codeBlock(id, code, title, wants)}</details>
`,
  );
  return card(
    title,
    html`<p>The form brings a field, <code>postern-captcha-solution</code>. Ask whether it is good before you take the form;
each of these does so, and looks whether it is from your page.</p>
${note}${blocks}`,
  );
}

/** A text of several lines, with a button that copies it where there are scripts. */
function codeBlock(id: string, code: string, what: string, note: string): Html {
  return html`<div class="snippet"><p>${note}</p>
<button type="button" class="quiet small" data-copy="snippet-${id}" aria-label="Copy ${what}" hidden>Copy</button>
<pre tabindex="0" role="region" aria-label="${what}"><code id="snippet-${id}">${code}</code></pre></div>
`;
}
