import type { RevealedKey } from '../../../platform/apiKeys/apiKeys.ts';
import { Copyable } from '../components/copyable.tsx';
import { DescriptionList } from '../components/descriptionList.tsx';
import { LinkButton } from '../components/form.tsx';
import type { PortalDeps, SignedInVisit } from '../kit/handler.ts';
import { page } from '../kit/responses.tsx';
import { Expiry, organizationNames, permissionsOf } from './keyList.tsx';
import { keyPath } from './keyPath.ts';

/** The page that shows the secret of a key, once: it is a response to a form and has no URL of its own. */
export async function secretPage(
  visit: SignedInVisit,
  deps: PortalDeps,
  { key, secret }: RevealedKey,
  title: string,
) {
  const nameOf = await organizationNames(visit, deps);
  const content = (
    <section class="card">
      <p>
        <strong>Copy the secret now.</strong> It is shown only once and cannot be retrieved later.
      </p>
      <Copyable id="secret" text={secret} label="Copy" />
      <p>
        Programs send it in the <code>X-API-Key</code> header. Keep it out of web pages, scripts, and
        repositories.
      </p>
      <DescriptionList
        items={[
          ['Name', key.name],
          ['Scope', permissionsOf(key)],
          ['Organization', nameOf(key.organizationId)],
          ['Expires', <Expiry of={key} now={deps.clock()} />],
        ]}
      />
      <LinkButton path={keyPath(deps, key.id)}>I have copied it</LinkButton>
    </section>
  );
  return page(visit, { title, content });
}
