import type { Children } from '../../jsx/elements.ts';
import { Card } from '../components/card.tsx';
import { CodeBlock, CopyField } from '../components/copyable.tsx';
import type { FieldErrors } from '../components/field.tsx';
import { Form, LinkButton } from '../components/form.tsx';
import { Panels } from '../components/navigation.tsx';
import { rich } from '../i18n/rich.tsx';
import { t } from '../i18n/t.ts';
import { IntegrationHead } from '../kit/assets.tsx';
import { propertyPage } from '../kit/frames.tsx';
import type { PortalDeps, PropertyVisit } from '../kit/handler.ts';
import { errorOf } from '../kit/messages.ts';
import { BACKEND_IDS, type BackendId, VENDOR_SNIPPETS } from './snippetCatalog.ts';
import { backendSnippet, KEY_PLACEHOLDER, type SnippetFacts, snippet } from './snippets.ts';

/** The values and the code for the page and for the backend. @param key the secret of a new API key */
export function showIntegration(
  visit: PropertyVisit,
  deps: PortalDeps,
  key?: string,
  errors: FieldErrors = [],
) {
  const facts = factsOf(deps, visit, key ?? KEY_PLACEHOLDER);
  const { propertyPath } = visit;
  const action = `${propertyPath}/integration/key`;
  const content = (
    <>
      <ValuesCard facts={facts} />
      <PageCard facts={facts} />
      <BackendCard facts={facts}>
        <KeyPart visit={visit} deps={deps} action={action} secret={key} />
      </BackendCard>
      <Card title={t('integration.test.title')}>
        <p>{t('integration.test.text')}</p>
        <LinkButton path={`${propertyPath}/integration/test`} tone="quiet">
          {t('integration.test.open')}
        </LinkButton>
      </Card>
      <VendorCard facts={facts} />
    </>
  );
  return propertyPage(visit, '/integration', { content, head: <IntegrationHead />, errors });
}

/** Creates an API key, and shows it in the code. */
export async function createIntegrationKey(visit: PropertyVisit, deps: PortalDeps) {
  const created = await createVerifyKey(visit, deps);
  return typeof created === 'string'
    ? showIntegration(visit, deps, created)
    : showIntegration(visit, deps, undefined, created);
}

/**
 * Creates an API key that can only verify solutions of the property's organization.
 *
 * @returns its secret, which only this response may show; or the errors of the form
 */
export async function createVerifyKey(
  visit: PropertyVisit,
  { oneTimeTokens, apiKeys }: PortalDeps,
): Promise<string | FieldErrors> {
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
export function KeyPart(props: {
  readonly visit: PropertyVisit;
  readonly deps: PortalDeps;
  readonly action: string;
  readonly secret: string | undefined;
}) {
  const { visit, deps, action, secret } = props;
  if (secret !== undefined)
    return (
      <div class="secret-note">
        <p>{rich('integration.key.shown', { strong: (text) => <strong>{text}</strong> })}</p>
        <dl class="copy-fields">
          <CopyField
            id="new-key"
            label={t('integration.key.label')}
            value={secret}
            copyName={t('integration.key.label')}
          />
        </dl>
      </div>
    );
  const token = deps.oneTimeTokens.issue();
  return (
    <div class="key-offer">
      <Form visit={visit} action={action} oneTimeToken={token} button={t('integration.key.button')}>
        <p>{rich('integration.key.text', { code: () => <code>{KEY_PLACEHOLDER}</code> })}</p>
      </Form>
      <p class="help">
        {rich('integration.key.other', {
          link: (text) => <a href="/portal/settings/api-keys">{text}</a>,
        })}
      </p>
    </div>
  );
}

/** @param key an API key, or KEY_PLACEHOLDER */
export function factsOf(
  { baseUrl, pinnedWidget }: PortalDeps,
  { property }: PropertyVisit,
  key: string,
): SnippetFacts {
  return { baseUrl, property, key, pinned: pinnedWidget };
}

type FactsProps = { readonly facts: SnippetFacts };

/** The values that integrations need. */
function ValuesCard({ facts: { baseUrl, property, pinned } }: FactsProps) {
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
          <CopyField id={`value-${id}`} label={label} value={value} copyName={label} />
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

/** The script, and the element for the form, for each framework. */
export function PageCard({ facts }: FactsProps) {
  const html = {
    id: 'html',
    title: t('integration.page.html'),
    content: (
      <>
        <CodeBlock
          id="page"
          name={t('integration.page.codeName', { name: 'HTML' })}
          code={snippet('page', facts)}
        />
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
    content: <FrameworkCode id={id} file={file} facts={facts} />,
  }));
  return (
    <Card title={t('integration.page.title')}>
      <p>{rich('integration.page.text', { code: (text) => <code>{text}</code> })}</p>
      <Panels name="framework" label={t('integration.page.tabs')} tabs={[html, ...frameworks]} />
    </Card>
  );
}

function FrameworkCode({ id, file, facts }: FactsProps & { readonly id: string; readonly file: string }) {
  const shared = 'captcha.js';
  return (
    <>
      <CodeBlock id={id} name={t('integration.page.fileName', { name: file })} code={snippet(file, facts)}>
        {t('integration.page.component')} <code>{file}</code>
      </CodeBlock>
      <CodeBlock
        id={`${id}-module`}
        name={t('integration.page.fileName', { name: shared })}
        code={snippet(shared, facts)}
      >
        {t('integration.page.shared')} <code>{shared}</code>
      </CodeBlock>
      <p class="help">
        {rich('integration.page.more', {
          link: (text) => <a href="/docs/how-to/frameworks">{text}</a>,
        })}
      </p>
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

/** The code for pages and backends written for another vendor. */
function VendorCard({ facts }: FactsProps) {
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
                code={[['', `${facts.baseUrl}${verifyPath}`]]}
              >
                {t('integration.vendors.endpoint')}
              </CodeBlock>
            </>
          ),
        }))}
      />
    </Card>
  );
}
