import type { Instant } from '../../../lib/time.ts';
import type { ApiKey, Scope } from '../../../model/apiKey.ts';
import type { OrganizationId } from '../../../model/organization.ts';
import { Card } from '../components/card.tsx';
import { LinkButton } from '../components/form.tsx';
import { Pager, Table } from '../components/table.tsx';
import { Moment } from '../components/time.tsx';
import { pageNumberOf } from '../kit/formData.ts';
import type { PortalDeps, SignedInVisit } from '../kit/handler.ts';
import { page } from '../kit/responses.tsx';
import { organizationLabel } from '../organizations/organizationLabel.ts';
import { KEYS_PATH, keyPath } from './keyPath.ts';

const PAGE_SIZE = 50;

export const SCOPE_LABELS: Readonly<Record<Scope, string>> = {
  verify: 'Captcha verification',
  portal: 'Portal operations',
};

export async function showKeys(visit: SignedInVisit, deps: PortalDeps) {
  const all = (await deps.apiKeys.list(visit.actor)).toReversed();
  const [active, revoked] = [all.filter((key) => !isRevoked(key)), all.filter(isRevoked)];
  const number = pageNumberOf(visit.query);
  const shown = active.slice(number * PAGE_SIZE, (number + 1) * PAGE_SIZE);
  const nameOf = await organizationNames(visit, deps);
  const content = (
    <>
      <p>
        Programs use an API key to authenticate to Postern. The secret of a key is shown only once, when you
        create or rotate the key.
      </p>
      <LinkButton path={`${KEYS_PATH}/new`}>Create API key</LinkButton>
      <Card title="Active keys">
        <KeyTable keys={shown} deps={deps} nameOf={nameOf} />
      </Card>
      <Pager
        page={number}
        hasMore={active.length > (number + 1) * PAGE_SIZE}
        pathOf={(n) => `${KEYS_PATH}?page=${n}`}
      />
      {revoked.length > 0 && <RevokedKeys keys={revoked.slice(0, PAGE_SIZE)} count={revoked.length} />}
    </>
  );
  return page(visit, { title: 'API keys', content });
}

/** @returns the name of the organization that a key is limited to, as a function; organizations that the user left have no name */
export async function organizationNames(visit: SignedInVisit, { organizations }: PortalDeps) {
  const own = await organizations.list(visit.actor);
  const names = new Map(own.map((one) => [one.id, organizationLabel(visit, one)]));
  return (id: OrganizationId | undefined): string =>
    id === undefined ? 'All organizations' : (names.get(id) ?? 'Unavailable organization');
}

/** The scope of a key, and whether it is read-only. */
export function permissionsOf({ scope, isReadOnly }: Pick<ApiKey, 'scope' | 'isReadOnly'>): string {
  return isReadOnly ? `${SCOPE_LABELS[scope]}, read-only` : SCOPE_LABELS[scope];
}

export function Expiry(props: { readonly of: Pick<ApiKey, 'expiresAt'>; readonly now: Instant }) {
  const { expiresAt } = props.of;
  if (expiresAt === undefined) return <>Never</>;
  if (expiresAt > props.now) return <Moment instant={expiresAt} />;
  return (
    <>
      <span class="badge bad">Expired</span> <br />
      <Moment instant={expiresAt} />
    </>
  );
}

export function rateOf({ rate, burst }: Pick<ApiKey, 'rate' | 'burst'>): string {
  if (rate === undefined && burst === undefined) return 'As configured';
  const perSecond = rate === undefined ? 'configured rate' : `${rate} per second`;
  return burst === undefined ? perSecond : `${perSecond}, burst ${burst}`;
}

export function LastTime({ instant }: { readonly instant: Instant | undefined }) {
  return instant === undefined ? <>Never</> : <Moment instant={instant} />;
}

function isRevoked({ revokedAt }: ApiKey): boolean {
  return revokedAt !== undefined;
}

function KeyTable(props: {
  readonly keys: readonly ApiKey[];
  readonly deps: PortalDeps;
  readonly nameOf: (id: OrganizationId | undefined) => string;
}) {
  const { keys, deps, nameOf } = props;
  const now = deps.clock();
  return (
    <Table
      caption="Newest first"
      head={['Key', 'Organization', 'Expires', 'Last used', 'Created']}
      rows={keys.map((key) => [
        <>
          <a class="long" href={keyPath(deps, key.id)}>
            {key.name}
          </a>
          <br />
          <span class="long aside">{summaryOf(key)}</span>
        </>,
        <span class="long">{nameOf(key.organizationId)}</span>,
        <Expiry of={key} now={now} />,
        <LastTime instant={key.lastUsedAt} />,
        <Moment instant={key.createdAt} />,
      ])}
      empty="You have no active API keys. Your backend needs one to verify solutions."
    />
  );
}

/** The permissions of a key, and its own rate limit if it has one. */
function summaryOf(key: ApiKey): string {
  const hasOwnRate = key.rate !== undefined || key.burst !== undefined;
  return hasOwnRate ? `${permissionsOf(key)}; ${rateOf(key)}` : permissionsOf(key);
}

function RevokedKeys({ keys, count }: { readonly keys: readonly ApiKey[]; readonly count: number }) {
  return (
    <details class="card">
      <summary>Revoked keys ({count})</summary>
      <Table
        caption={count > keys.length ? `The newest ${keys.length} of ${count}` : 'Newest first'}
        head={['Name', 'Scope', 'Revoked']}
        rows={keys.map((key) => [
          <span class="long">{key.name}</span>,
          <span class="long">{permissionsOf(key)}</span>,
          <LastTime instant={key.revokedAt} />,
        ])}
        empty=""
      />
    </details>
  );
}
