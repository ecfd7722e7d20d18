import type { Account } from '../../model/account.ts';
import type { Services } from '../../server/services.ts';
import type { Row } from '../output.ts';

/** The fields that commands print for a user. */
export function toUserRow({ ids }: Services, account: Account): Row {
  const { id, email, name, isAdmin, plan, disabledAt } = account;
  return {
    id: ids.seal('account', id),
    email,
    name,
    admin: isAdmin,
    plan,
    disabled: disabledAt !== undefined,
  };
}
