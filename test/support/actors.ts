import type { AccountId } from '../../src/model/account.ts';
import { type ActorLimits, keyActor, type UserActor } from '../../src/model/actor.ts';

/** A user with an API key; without limits unless a test gives some. */
export function userActor({ id }: { readonly id: AccountId }, limits: ActorLimits = {}): UserActor {
  return keyActor({ accountId: id, organizationId: undefined, ...limits }, undefined);
}
