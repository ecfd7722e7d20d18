import type { AccountId } from '../../src/model/account.ts';
import type { ActorLimits, UserActor } from '../../src/model/actor.ts';

/** A user with an API key; without limits unless a test gives some. */
export function userActor({ id }: { readonly id: AccountId }, limits: ActorLimits = {}): UserActor {
  return { source: 'api-key', user: id, isAdmin: false, address: undefined, limits };
}
