import type { Children } from '../../jsx/elements.ts';
import { CodeBlock, CopyField } from '../components/copyable.tsx';
import type { FieldErrors } from '../components/field.tsx';
import { Form, LinkButton } from '../components/form.tsx';
import { Panels } from '../components/navigation.tsx';
import { Card } from '../components/sections.tsx';
import { rich, t } from '../i18n/t.tsx';
import { Head } from '../kit/assets.tsx';
import { errorOf } from '../kit/forms.ts';
import type { PortalDeps, PropertyVisit } from '../kit/handler.ts';
import { propertyPage } from '../kit/pages.tsx';
import { BACKEND_IDS, type BackendId, PLACEHOLDERS, VENDOR_SNIPPETS } from './snippetCatalog.ts';
import { backendSnippet, KEY_PLACEHOLDER, type SnippetFacts, snippet } from './snippets.ts';

/** The values and the code for the page and for the backend. @param created by `createVerifyKey` */
export function showIntegration(visit: PropertyVisit, deps: PortalDeps, created: CreatedKey = []) {
  const facts = factsOf(deps, visit, created);
  const path = `${visit.propertyPath}/integration`;
  const content = (
    <>
      {valuesCard(facts)}
      <PageCard facts={facts}>
        <LinkButton path={`${path}/design`} text={t('integration.design.title')} tone="quiet" />
      </PageCard>
      <BackendCard facts={facts}>{keyPart(visit, deps, `${path}/key`, created)}</BackendCard>
      <Card title={t('integration.test.title')}>
        <p>{t('integration.test.text')}</p>
        <LinkButton path={`${path}/test`} text={t('integration.test.open')} tone="quiet" />
      </Card>
      {vendorCard(facts, `${path}/offline`)}
    </>
  );
  const errors = typeof created === 'string' ? [] : created;
  return propertyPage(visit, '/integration', { content, head: <Head of="integration" />, errors });
}

/** Creates an API key, and shows it in the code. */
export async function createIntegrationKey(visit: PropertyVisit, deps: PortalDeps) {
  return showIntegration(visit, deps, await createVerifyKey(visit, deps));
}

/** The secret of a new key, which only one response may show; or the errors of the form. */
export type CreatedKey = string | FieldErrors;

/** Creates an API key that can only verify solutions of the property's organization. */
export async function createVerifyKey(
  visit: PropertyVisit,
  { oneTimeTokens, apiKeys }: PortalDeps,
): Promise<CreatedKey> {
  if (!(await oneTimeTokens.use(visit))) return [errorOf('form-sent-before')];
  const { organization, property } = visit;
  const made = await apiKeys.create(visit.actor, {
    account: visit.signedIn.account,
    name: property.name,
    scope: 'verify',
    organizationId: organization.id,
    isReadOnly: false,
    expiresAt: undefined,
  });
  return made.ok ? made.value.secret : [errorOf(made.problem)];
}

/** The button that creates an API key; or the new key. */
export function keyPart(visit: PropertyVisit, deps: PortalDeps, action: string, created: CreatedKey) {
  if (typeof created === 'string')
    return (
      <div class="secret-note">
        <p>{rich('integration.key.shown')}</p>
        <dl class="copy-fields">
          <CopyField id="new-key" label={t('integration.key.label')} value={created} />
        </dl>
      </div>
    );
  const token = deps.oneTimeTokens.issue();
  return (
    <div class="key-offer">
      <Form visit={visit} action={action} oneTimeToken={token} button={t('integration.key.button')}>
        <p>{rich('integration.key.text', { code: () => <code>{KEY_PLACEHOLDER}</code> })}</p>
      </Form>
      <p class="help">{rich('integration.key.other', { link: '/portal/settings/api-keys' })}</p>
    </div>
  );
}

/** The values in the code, with a new key if there is one. */
export function factsOf(deps: PortalDeps, { property }: PropertyVisit, created: CreatedKey): SnippetFacts {
  const key = typeof created === 'string' ? created : KEY_PLACEHOLDER;
  return { baseUrl: deps.baseUrl, property, key, pinned: deps.pinnedWidget };
}

type FactsProps = { readonly facts: SnippetFacts };

function valuesCard({ baseUrl, property, pinned }: SnippetFacts) {
  const values = [
    ['sitekey', t('integration.values.sitekey'), property.sitekey],
    ['script', t('integration.values.script'), `${baseUrl}/widget/postern.js`],
    ['endpoint', t('integration.values.endpoint'), `${baseUrl}/verify`],
    ['pinned', t('integration.values.pinned'), `${baseUrl}${pinned.path}`],
    ['integrity', t('integration.values.integrity'), pinned.integrity],
  ] as const;
  return (
    <Card title={t('integration.values.title')}>
      <dl class="copy-fields">
        {values.map(([id, label, value]) => (
          <CopyField id={`value-${id}`} label={label} value={value} />
        ))}
      </dl>
    </Card>
  );
}

/** Examples in docs/how-to/frameworks.md, which tests run in a browser. */
const FRAMEWORKS = [
  ['react', 'React', 'SignupForm.jsx'],
  ['vue', 'Vue', 'SignupForm.vue'],
  ['svelte', 'Svelte', 'SignupForm.svelte'],
] as const;

/** The script, and the element for the form, for each framework. The children follow. */
export function PageCard({ facts, children }: FactsProps & { readonly children?: Children }) {
  const name = t('integration.page.codeName', { name: 'HTML' });
  const html = {
    id: 'html',
    title: t('integration.page.html'),
    content: (
      <>
        <CodeBlock id="page" name={name} code={snippet('page', facts)} />
        <details class="pinned">
          <summary>{t('integration.page.pinned')}</summary>
          <CodeBlock id="pinned" name={t('integration.page.pinnedName')} code={snippet('pinned', facts)}>
            {t('integration.page.pinnedText')}
          </CodeBlock>
        </details>
      </>
    ),
  };
  const frameworks = FRAMEWORKS.map(([id, title, file]) => ({
    id,
    title,
    content: frameworkCode(id, file, facts),
  }));
  return (
    <Card title={t('integration.page.title')}>
      <p>{rich('integration.page.text')}</p>
      <Panels name="framework" label={t('integration.page.tabs')} tabs={[html, ...frameworks]} />
      {children}
    </Card>
  );
}

function frameworkCode(id: string, file: string, facts: SnippetFacts) {
  const shared = 'captcha.js';
  const nameOf = (name: string) => t('integration.page.fileName', { name });
  return (
    <>
      <CodeBlock id={id} name={nameOf(file)} code={snippet(file, facts)}>
        {t('integration.page.component')} <code>{file}</code>
      </CodeBlock>
      <CodeBlock id={`${id}-module`} name={nameOf(shared)} code={snippet(shared, facts)}>
        {t('integration.page.shared')} <code>{shared}</code>
      </CodeBlock>
      <p class="help">{rich('integration.page.more', { link: '/docs/how-to/frameworks' })}</p>
    </>
  );
}

const BACKEND_NAMES: Readonly<Record<BackendId, string>> = {
  javascript: 'JavaScript',
  python: 'Python',
  php: 'PHP',
  ruby: 'Ruby',
  java: 'Java',
  go: 'Go',
  curl: 'curl',
};

/** Code for each backend language. The children are about the API key. */
export function BackendCard({ facts, children }: FactsProps & { readonly children: Children }) {
  return (
    <Card title={t('integration.backend.title')}>
      <p>{t('integration.backend.text')}</p>
      {children}
      <Panels
        name="backend"
        label={t('integration.backend.tabs')}
        tabs={BACKEND_IDS.map((id) => ({
          id,
          title: BACKEND_NAMES[id],
          content: (
            <CodeBlock
              id={id}
              name={t('integration.page.codeName', { name: BACKEND_NAMES[id] })}
              code={backendSnippet(id, facts)}
            >
              {t(`integration.backend.requires.${id}`)}
            </CodeBlock>
          ),
        }))}
      />
    </Card>
  );
}

/** @param offlinePath the page with the secret for offline verification */
function vendorCard(facts: SnippetFacts, offlinePath: string) {
  return (
    <Card title={t('integration.vendors.title')}>
      <p>{t('integration.vendors.text')}</p>
      <Panels
        name="vendor"
        label={t('integration.vendors.tabs')}
        tabs={VENDOR_SNIPPETS.map(({ id, title, verifyPath, field }) => ({
          id,
          title,
          content: (
            <>
              <CodeBlock
                id={`${id}-page`}
                name={t('integration.vendors.pageName', { name: title })}
                code={snippet(`${id}-page`, facts)}
              >
                {rich('integration.vendors.page', { code: () => <code>{field}</code> })}
              </CodeBlock>
              <CodeBlock
                id={`${id}-url`}
                name={t('integration.vendors.endpointName', { name: title })}
                code={[
                  ['', `${facts.baseUrl}${verifyPath.replace(PLACEHOLDERS.sitekey, facts.property.sitekey)}`],
                ]}
              >
                {t('integration.vendors.endpoint')}
              </CodeBlock>
              {id === 'altcha' && (
                <LinkButton path={offlinePath} text={t('integration.offline.open')} tone="quiet" />
              )}
            </>
          ),
        }))}
      />
    </Card>
  );
}
