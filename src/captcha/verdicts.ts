import { type Awaitable, attempt } from '../lib/awaitable.ts';
import { type Instant, SECOND } from '../lib/time.ts';
import type { AccountId } from '../model/account.ts';
import type { Principal } from '../model/apiKey.ts';
import type { OrganizationId } from '../model/organization.ts';
import type { RepeatKey } from '../model/ports/replayLedger.ts';
import type { Property, PropertyId, Sitekey } from '../model/property.ts';
import type { PageData, Payload } from '../puzzle/solution.ts';
import type { VerifiedFields } from './signature.ts';
import type { TrafficObserver } from './traffic/observeTraffic.ts';
import { type CountedProperty, UNKNOWN_PROPERTY, type UsageCounter } from './usage.ts';
import type { Verdict, VerdictName } from './verdict.ts';

/** The key of a verification request, which determines the properties that it may verify. */
export type VerifyingKey = Pick<Principal, 'memberOf' | 'organizationId' | 'creatorId'>;

/** A solution in the format of another product. It has no solutions of Postern's kind. */
export type DialectPayload = Payload & {
  /** Checks the work. @param secret of the key that signed the puzzle */
  readonly isSolved: (secret: Uint8Array) => boolean;
};

/** A payload with a valid signature. */
export type SignedPayload = {
  readonly payload: Payload & Partial<DialectPayload>;
  readonly sitekey: Sitekey;
  /** Set after the property is found. */
  readonly id?: PropertyId;
  /** Set after the property is found. */
  readonly settings?: number;
  /** Set after the property is found. */
  readonly organizationId?: OrganizationId;
  /** Set after the property is found. */
  readonly ownerId?: AccountId;
  readonly fields: VerifiedFields;
  readonly now: Instant;
  readonly repeatKey?: RepeatKey | undefined;
};

export type VerdictDeps = {
  readonly properties: { readonly bySitekey: (sitekey: Sitekey) => Awaitable<Property | undefined> };
  readonly usage: Pick<UsageCounter, 'countVerdict'>;
  /** Undefined if rejections are not recorded. */
  readonly traffic?: Pick<TrafficObserver, 'failed'> | undefined;
};

/** The functions that create verdicts. */
export type Verdicts = ReturnType<typeof createVerdicts>;

/** Creates every verdict and counts it. */
export function createVerdicts({ usage, properties, traffic }: VerdictDeps) {
  /** The verdict on a payload without a valid signature. */
  function unsigned(name: VerdictName, now: Instant, success = false, pageData: PageData = {}): Verdict {
    const unknown = { origin: '', issuedAt: undefined, isUnavailable: false };
    const verdict: Verdict = { success, name, verifiedAt: now, pageData, ...unknown };
    usage.countVerdict(verdict, UNKNOWN_PROPERTY);
    return verdict;
  }

  /** @param options `property`: the verdict is counted for this property, by default the payload's */
  function conclude(
    name: VerdictName,
    signed: SignedPayload,
    options: {
      readonly success?: boolean;
      readonly isUnavailable?: boolean;
      readonly property?: CountedProperty;
    } = {},
  ): Verdict {
    const { property = signed, ...rest } = options;
    const verdict = verdictOn(signed, name, rest);
    usage.countVerdict(verdict, property, signed.payload.metadata);
    if (!verdict.success) traffic?.failed(property, name, { host: verdict.origin, now: signed.now });
    return verdict;
  }

  /** The verdict on a payload that was not verified. It is not counted, because the caller sends the payload again. */
  function busy(signed: SignedPayload): Verdict {
    return { ...verdictOn(signed, 'error-other', {}), isBusy: true };
  }

  /** The verdict on a repeated request, which is not counted again. */
  function repeated(signed: SignedPayload, success: boolean): Verdict {
    return verdictOn(signed, success ? 'no-error' : 'solution-verified-before', { success });
  }

  /** Concludes before the property is checked; looks it up only to decide which property the verdict is counted for. */
  function concludeEarly(
    name: VerdictName,
    signed: SignedPayload,
    principal: VerifyingKey,
  ): Awaitable<Verdict> {
    return attempt(
      () => properties.bySitekey(signed.sitekey),
      (found) => {
        if (found === undefined) return conclude(name, signed);
        return conclude(name, signed, { property: mayVerify(principal, found) ? found : UNKNOWN_PROPERTY });
      },
      () => conclude(name, signed, { property: UNKNOWN_PROPERTY }),
    );
  }

  return { unsigned, conclude, concludeEarly, repeated, busy };
}

function verdictOn(
  { fields, now, payload, sitekey }: SignedPayload,
  name: VerdictName,
  {
    success = false,
    isUnavailable = false,
  }: { readonly success?: boolean; readonly isUnavailable?: boolean },
): Verdict {
  const issuedAt = (fields.issuedAtSeconds * SECOND) as Instant;
  const { pageData } = payload;
  return { success, name, origin: fields.host, verifiedAt: now, issuedAt, isUnavailable, sitekey, pageData };
}

/** Whether the key's user belongs to the property's organization, and the key is not limited to another organization. */
export function mayVerify({ memberOf, organizationId }: VerifyingKey, property: Property): boolean {
  const isInScope = organizationId === undefined || organizationId === property.organizationId;
  return isInScope && memberOf.has(property.organizationId);
}
