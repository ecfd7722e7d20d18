import { html } from '../../../lib/html.ts';
import type { ApiKey } from '../../../model/apiKey.ts';
import type { AuditAction } from '../../../model/audit.ts';
import type { RevealedKey } from '../../../platform/apiKeys.ts';
import { copyable } from '../components/parts.tsx';
import { page } from '../kit/layout.tsx';
import type { PortalDeps, SignedInVisit } from '../kit/route.ts';
import { expiryOf, organizationNames, powersOf } from './keyList.tsx';
import { keyPath } from './keyPath.ts';

/** The one page that shows a key. It is no address that can be loaded anew. */
export async function secretPage(
  visit: SignedInVisit,
  deps: PortalDeps,
  { key, secret }: RevealedKey,
  title: string,
): Promise<Response> {
  const nameOf = await organizationNames(visit, deps);
  const content = html`<section class="card">
<p><strong>Copy it now.</strong> It is shown this once, and nobody can look it up later.</p>
${copyable('secret', secret, 'Copy')}<p>Programs send it in the header <code>X-API-Key</code>. Keep it out of pages, scripts and repositories.</p>
<dl>
<div><dt>Name</dt><dd>${key.name}</dd></div>
<div><dt>Scope</dt><dd>${powersOf(key)}</dd></div>
<div><dt>Organization</dt><dd>${nameOf(key.organizationId)}</dd></div>
<div><dt>Expires</dt><dd>${expiryOf(key, deps.clock())}</dd></div>
</dl>
<p><a class="button" href="${keyPath(deps, key.id)}">I have copied it</a></p>
</section>
`;
  return page(visit, { title, content });
}

/** Notes down what was done with a key; members of the organization that it is bound to read it too. */
export function noteKey(
  visit: SignedInVisit,
  { audit }: PortalDeps,
  action: AuditAction,
  { name, organizationId }: ApiKey,
): Promise<void> {
  const subject = `${name} of ${visit.who.account.email}`;
  return audit.recordAct(visit.actor, { action, organizationId, subject });
}
