import { type Html, html } from '../../lib/html.ts';
import { notFound } from './answers.ts';
import { siteHead } from './assets.ts';
import { page } from './layout.ts';
import { card } from './parts.ts';
import { type PropertyPlace, propertyAt, propertyTabs } from './place.ts';
import type { PortalDeps, SignedInVisit } from './route.ts';
import { backendSnippets, KEY_PLACEHOLDER, pageSnippets, type SnippetFacts } from './snippets.ts';

/** `GET /portal/orgs/:org/properties/:property/integration`: what goes into the page, and into the backend. */
export async function showIntegration(visit: SignedInVisit, deps: PortalDeps): Promise<Response> {
  const place = await propertyAt(visit, deps);
  if (place === undefined) return notFound(visit);
  const facts = factsOf(deps, place, KEY_PLACEHOLDER);
  const key = html`<p>Put an API key that may verify in the place of <code>${KEY_PLACEHOLDER}</code>:
<a href="/portal/settings/api-keys">API keys</a> makes one. Keep it on the server; it must never be in a page.</p>
`;
  const content = html`${propertyTabs(place, '/integration')}${pageCard(facts, 'In the page')}${backendCard(facts, 'In the backend', key)}`;
  return page(visit, { title: place.property.name, content, head: siteHead() });
}

/** @param key an API key, or KEY_PLACEHOLDER */
export function factsOf(
  { baseUrl, pinnedWidget }: PortalDeps,
  { property }: PropertyPlace,
  key: string,
): SnippetFacts {
  return { baseUrl, property, key, pinned: pinnedWidget };
}

/** The script, and the element in the form. */
export function pageCard(facts: SnippetFacts, title: string): Html {
  const { script, pinnedScript, widget } = pageSnippets(facts);
  return card(
    title,
    html`<p>Once in the page, best in its head:</p>
${codeBlock('snippet-script', script, 'the script')}<details><summary>A version that never changes</summary>
<p>Browsers keep this one for ever, and check that it is what it was. It is gone when Postern is upgraded, so the page must
be changed along with it.</p>
${codeBlock('snippet-pinned', pinnedScript, 'the script of this version')}</details>
<p>In the form, where the widget is to be:</p>
${codeBlock('snippet-widget', widget, 'the widget')}`,
  );
}

/** @param note what is to be said of the key */
export function backendCard(facts: SnippetFacts, title: string, note: Html): Html {
  const blocks = backendSnippets(facts).map(
    (
      { id, title, code },
      index,
    ) => html`<details name="backend"${index === 1 ? html` open` : ''}><summary>${title}</summary>
${codeBlock(`snippet-${id}`, code, title)}</details>
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
function codeBlock(id: string, code: string, what: string): Html {
  return html`<div class="snippet"><button type="button" class="quiet small" data-copy="${id}" aria-label="Copy ${what}" hidden>Copy</button>
<pre tabindex="0" role="region" aria-label="${what}"><code id="${id}">${code}</code></pre></div>
`;
}
