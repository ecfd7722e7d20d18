import type { Element } from '../../jsx/elements.ts';

type User = { readonly name: string; readonly email: string };

/** A user in a sentence: the name and the email address, or only the address if the name is the same. */
export function UserName({ user: { name, email } }: { readonly user: User }): Element {
  if (name === email) return <>{email}</>;
  return (
    <>
      <bdi>{name}</bdi> ({email})
    </>
  );
}

/** A user in a list: the email address is below the name. */
export function UserItem(props: {
  readonly user: User;
  /** Follows the name: `(you)`. */
  readonly note?: string | undefined;
}): Element {
  const { name, email } = props.user;
  return (
    <>
      <bdi>{name}</bdi>
      {props.note !== undefined && ` ${props.note}`}
      {name !== email && <span class="soft">{email}</span>}
    </>
  );
}
