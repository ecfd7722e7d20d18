import type { Children } from '../../jsx/elements.ts';
import { Card } from '../components/card.tsx';
import { CopyButton } from '../components/copyable.tsx';
import { Tabs } from '../components/tabs.tsx';
import { PropertyHead } from '../kit/assets.tsx';
import type { PortalDeps, PropertyVisit } from '../kit/handler.ts';
import { propertyPage } from './propertyPage.tsx';
import { backendSnippets, KEY_PLACEHOLDER, pageSnippets } from './snippets.ts';
import type { SnippetFacts } from './snippetTemplates.ts';
import { vendorSnippets } from './vendorSnippets.ts';

/** The code for the page and for the backend. */
export function showIntegration(visit: PropertyVisit, deps: PortalDeps) {
  const facts = factsOf(deps, visit, KEY_PLACEHOLDER);
  const content = (
    <>
      <PageCard title="Page" facts={facts} />
      <BackendCard title="Backend" facts={facts}>
        <p>
          Replace <code>{KEY_PLACEHOLDER}</code> with an API key that has the scope Captcha verification. You
          can create one under <a href="/portal/settings/api-keys">API keys</a>. Keep the key on your server,
          and never put it into a page.
        </p>
      </BackendCard>
      <VendorCard facts={facts} />
    </>
  );
  return propertyPage(visit, '/integration', { content, head: <PropertyHead /> });
}

/** @param key an API key, or KEY_PLACEHOLDER */
export function factsOf(
  { baseUrl, pinnedWidget }: PortalDeps,
  { property }: PropertyVisit,
  key: string,
): SnippetFacts {
  return { baseUrl, property, key, pinned: pinnedWidget };
}

type CardProps = { readonly title: string; readonly facts: SnippetFacts };

/** The script, and the element for the form. */
export function PageCard({ title, facts }: CardProps) {
  const { script, pinnedScript, widget } = pageSnippets(facts);
  return (
    <Card title={title}>
      <CodeBlock id="script" name="the script" code={script}>
        Add this script to the page once, preferably in its head:
      </CodeBlock>
      <details>
        <summary>A script that never changes</summary>
        <CodeBlock id="pinned" name="the script of this version" code={pinnedScript}>
          Browsers check the integrity of this script and cache it permanently. An upgrade of Postern removes
          it, so update your page at the same time.
        </CodeBlock>
      </details>
      <CodeBlock id="widget" name="the widget" code={widget}>
        Add this element to the form, where the widget should appear:
      </CodeBlock>
    </Card>
  );
}

/** Code for each backend language. The children are a note about the API key. */
export function BackendCard({ title, facts, children }: CardProps & { readonly children: Children }) {
  return (
    <Card title={title}>
      <p>
        The form sends the field <code>postern-captcha-solution</code>. Verify it in your backend before you
        process the form. Each of these functions verifies it and checks that the solution comes from your
        page.
      </p>
      {children}
      <Tabs
        name="backend"
        label="Language"
        tabs={backendSnippets(facts).map(({ id, title: language, code, requirements }) => ({
          id,
          title: language,
          content: (
            <CodeBlock id={id} name={language} code={code}>
              {requirements}
            </CodeBlock>
          ),
        }))}
      />
    </Card>
  );
}

/** The code for pages and backends written for another vendor. */
function VendorCard({ facts }: { readonly facts: SnippetFacts }) {
  return (
    <Card title="Replace another CAPTCHA">
      <p>
        If your page and backend were written for another vendor, change only the hostname, the sitekey, and
        the secret. As the secret, use an API key that has the scope Captcha verification.
      </p>
      <Tabs
        name="vendor"
        label="Vendor"
        tabs={vendorSnippets(facts).map(({ id, title, page, verifyUrl, field }) => ({
          id,
          title,
          content: (
            <>
              <CodeBlock id={`${id}-page`} name={`the page’s code for ${title}`} code={page}>
                Use this code in the page. The form sends the field <code>{field}</code>:
              </CodeBlock>
              <CodeBlock id={`${id}-url`} name={`the verification URL for ${title}`} code={verifyUrl}>
                Use this verification URL in the backend:
              </CodeBlock>
            </>
          ),
        }))}
      />
    </Card>
  );
}

/** Code with a note above it, and with a button that copies it. Without scripts, the button is hidden. */
function CodeBlock(props: {
  readonly id: string;
  /** Names the code for screen readers. */
  readonly name: string;
  readonly code: string;
  /** The note. */
  readonly children: Children;
}) {
  const id = `snippet-${props.id}`;
  return (
    <div class="snippet">
      <p>{props.children}</p>
      <CopyButton of={id} name={props.name} />
      <section aria-label={props.name} tabindex={0}>
        <pre>
          <code id={id}>{props.code}</code>
        </pre>
      </section>
    </div>
  );
}
