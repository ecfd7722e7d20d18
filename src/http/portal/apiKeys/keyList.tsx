import { type Html, html } from '../../../lib/html.ts';
import type { Instant } from '../../../lib/time.ts';
import type { ApiKey, Scope } from '../../../model/apiKey.ts';
import type { OrganizationId } from '../../../model/organization.ts';
import { card, moment, pager, table } from '../components/parts.tsx';
import { pageNumberOf } from '../kit/formData.ts';
import { page } from '../kit/layout.tsx';
import type { PortalDeps, SignedInVisit } from '../kit/route.ts';
import { organizationLabel } from '../organizations/organizationLabel.ts';
import { KEYS_PATH, keyPath } from './keyPath.ts';

const PAGE_SIZE = 50;

/** Labels of the scopes. */
export const SCOPE_WORDS: Readonly<Record<Scope, string>> = {
  verify: 'Captcha verification',
  portal: 'Portal operations',
};

/** `GET /portal/settings/api-keys`. */
export async function showKeys(visit: SignedInVisit, deps: PortalDeps): Promise<Response> {
  const all = (await deps.apiKeys.listOf(visit.who.account)).toReversed();
  const [live, revoked] = [all.filter((key) => !isRevoked(key)), all.filter(isRevoked)];
  const at = pageNumberOf(visit.query);
  const shown = live.slice(at * PAGE_SIZE, (at + 1) * PAGE_SIZE);
  const nameOf = await organizationNames(visit, deps);
  const content = html`<p>Programs show a key instead of a password. A key shows what it is once, when it is made.</p>
<p><a class="button" href="${KEYS_PATH}/new">Create new key</a></p>
${card('Your keys', keyTable(shown, deps, nameOf))}${pager({
  page: at,
  hasMore: live.length > (at + 1) * PAGE_SIZE,
  pathOf: (n) => `${KEYS_PATH}?page=${n}`,
})}${revokedPart(revoked.slice(0, PAGE_SIZE), revoked.length)}`;
  return page(visit, { title: 'API keys', content });
}

/** The names of organizations that keys may be bound to. An organization that is gone, or not theirs any more, has none. */
export async function organizationNames(
  visit: SignedInVisit,
  { organizations }: PortalDeps,
): Promise<(id: OrganizationId | undefined) => string> {
  const own = await organizations.listFor(visit.actor);
  const names = new Map(own.map((one) => [one.id, organizationLabel(visit, one)]));
  return (id) => (id === undefined ? 'All of yours' : (names.get(id) ?? 'One that is not yours any more'));
}

/** What a key may do, and whether it only reads. */
export function powersOf({ scope, isReadOnly }: Pick<ApiKey, 'scope' | 'isReadOnly'>): string {
  return isReadOnly ? `${SCOPE_WORDS[scope]}, read-only` : SCOPE_WORDS[scope];
}

/** Until when a key works. */
export function expiryOf({ expiresAt }: Pick<ApiKey, 'expiresAt'>, now: Instant): Html {
  if (expiresAt === undefined) return html`Never`;
  return expiresAt <= now
    ? html`<span class="badge bad">Expired</span> <br>${moment(expiresAt)}`
    : moment(expiresAt);
}

/** How often a key may ask, where it has a rate of its own. */
export function rateOf({ rate, burst }: Pick<ApiKey, 'rate' | 'burst'>): string {
  if (rate === undefined && burst === undefined) return 'As configured';
  const perSecond = rate === undefined ? 'as configured' : `${rate} a second`;
  return burst === undefined ? perSecond : `${perSecond}, ${burst} at once`;
}

/** When something last happened, or that it never did. */
export function whenOf(at: Instant | undefined): Html {
  return at === undefined ? html`Never` : moment(at);
}

function isRevoked({ revokedAt }: ApiKey): boolean {
  return revokedAt !== undefined;
}

function keyTable(
  keys: readonly ApiKey[],
  deps: PortalDeps,
  nameOf: (id: OrganizationId | undefined) => string,
): Html {
  const now = deps.clock();
  return table({
    caption: 'Newest first',
    head: ['Key', 'Organization', 'Expires', 'Last used', 'Made'],
    rows: keys.map((key) => [
      html`<a class="long" href="${keyPath(deps, key.id)}">${key.name}</a><br><span class="long aside">${aboutOf(key)}</span>`,
      html`<span class="long">${nameOf(key.organizationId)}</span>`,
      expiryOf(key, now),
      whenOf(key.lastUsedAt),
      moment(key.createdAt),
    ]),
    empty: 'You have no key. Your site’s backend needs one to verify solutions.',
  });
}

/** What it may do; how often, only where that is its own. */
function aboutOf(key: ApiKey): string {
  const isUsual = key.rate === undefined && key.burst === undefined;
  return isUsual ? powersOf(key) : `${powersOf(key)}; ${rateOf(key)}`;
}

function revokedPart(keys: readonly ApiKey[], count: number): Html {
  if (count === 0) return html``;
  const rows = keys.map((key) => [
    html`<span class="long">${key.name}</span>`,
    html`<span class="long">${powersOf(key)}</span>`,
    whenOf(key.revokedAt),
  ]);
  const caption = count > keys.length ? `The newest ${keys.length} of ${count}` : 'Newest first';
  const list = table({ caption, head: ['Name', 'Scope', 'Revoked'], rows, empty: '' });
  return html`<details class="card"><summary>Revoked keys (${count})</summary>
${list}</details>
`;
}
