import type { Element } from '../../jsx/elements.ts';

type User = { readonly name: string; readonly email: string };

/** A user in a sentence: the name with the e-mail address, or the address alone if the name is the same. */
export function UserName({ user: { name, email } }: { readonly user: User }): Element {
  if (name === email) return <>{email}</>;
  return (
    <>
      <bdi>{name}</bdi> ({email})
    </>
  );
}

/** A user in a list: the e-mail address is below the name. */
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
