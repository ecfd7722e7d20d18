import { newToken, type Random } from '../../lib/ids.ts';
import { done, type Outcome, reject } from '../../lib/outcome.ts';
import { type Clock, DAY, later } from '../../lib/time.ts';
import type { UserActor } from '../../model/actor.ts';
import type { AuditAction } from '../../model/audit.ts';
import type { ListedShareLink, ShareLinkStore } from '../../model/ports/shareLink.ts';
import { type Property, type PropertyId, toAuditedActions } from '../../model/property.ts';
import { SHARE_LINKS_MAX, type ShareLinkId } from '../../model/shareLink.ts';
import { sha256Hex } from '../../sha256.ts';
import type { EntryFor } from '../audit.ts';
import type { Properties } from './properties.ts';

/** Use cases for share links, which show the dashboard of a property to anyone who has the link, without personal data. */
export type ShareLinks = ReturnType<typeof createShareLinks>;

const TOKEN = /^[A-Za-z0-9_-]{43}$/;

/** @see ShareLinks */
export function createShareLinks(deps: {
  readonly store: ShareLinkStore;
  readonly properties: Pick<Properties, 'find'>;
  readonly entryFor: EntryFor;
  readonly clock: Clock;
  readonly random: Random;
}) {
  const { store, properties, clock } = deps;

  function entryFor(actor: UserActor, property: Property, action: AuditAction, link: string) {
    const [audited] = toAuditedActions(property, [action]);
    return audited && deps.entryFor(actor, { ...audited, object: `${audited.object}: …${link}` });
  }

  return {
    /**
     * Creates a link. @param days until it expires; undefined if it does not expire
     *
     * @returns its token, 43 characters of base64url, which cannot be shown again
     */
    async create(
      actor: UserActor,
      id: PropertyId,
      days: number | undefined,
    ): Promise<Outcome<string, 'property-gone' | 'limit'>> {
      const property = await properties.find(actor, id);
      if (!property.ok) return property;
      const token = newToken(deps.random);
      const createdAt = clock();
      const link = {
        propertyId: id,
        tokenHash: sha256Hex(token),
        lastFour: token.slice(-4),
        creatorId: actor.user,
        createdAt,
        expiresAt: days === undefined ? null : later(createdAt, days * DAY),
      };
      const entry = await entryFor(actor, property.value, 'share-link-created', link.lastFour);
      return (await store.create(link, SHARE_LINKS_MAX, entry)) ? done(token) : reject('limit');
    },
    /** Lists the links that have not expired, oldest first. */
    async list(
      actor: UserActor,
      id: PropertyId,
    ): Promise<Outcome<readonly ListedShareLink[], 'property-gone'>> {
      const property = await properties.find(actor, id);
      return property.ok ? done(await store.list(id, clock())) : property;
    },
    /** @returns false if the property has no such link */
    async revoke(actor: UserActor, id: PropertyId, link: ShareLinkId): Promise<boolean> {
      const property = await properties.find(actor, id);
      if (!property.ok) return false;
      const known = (await store.list(id, clock())).find((one) => one.id === link);
      if (known === undefined) return false;
      return store.revoke(
        id,
        link,
        await entryFor(actor, property.value, 'share-link-revoked', known.lastFour),
      );
    },
    /** For anyone who has the link. @returns undefined if there is no such link, or if it has expired or was revoked */
    propertyOf: async (token: string): Promise<Property | undefined> =>
      TOKEN.test(token) ? store.propertyOf(sha256Hex(token), clock()) : undefined,
  };
}
