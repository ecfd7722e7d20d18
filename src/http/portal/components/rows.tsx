/** The components as template functions, until all pages are JSX. */
import type { Html } from '../../../lib/html.ts';
import { fromHtml, toHtml } from '../../jsx/bridge.tsx';
import { FormActions } from './form.tsx';
import { ItemList } from './itemList.tsx';
import { UserItem, UserName } from './userName.tsx';

export type Row = {
  readonly name: Html;
  readonly facts: readonly (string | Html)[];
  readonly actions?: readonly Html[];
};

export function rowList(all: readonly Row[], empty: string): Html {
  const items = all.map(({ name, facts, actions = [] }) => ({
    name: fromHtml(name),
    facts: facts.map((fact) => (typeof fact === 'string' ? fact : fromHtml(fact))),
    actions: actions.map(fromHtml),
  }));
  return toHtml(<ItemList items={items} empty={empty} />);
}

export function personRow(user: { readonly name: string; readonly email: string }, note = ''): Html {
  return toHtml(<UserItem user={user} note={note === '' ? undefined : note} />);
}

export function personName(user: { readonly name: string; readonly email: string }): Html {
  return toHtml(<UserName user={user} />);
}

export function actOrCancel(act: Html, back: string): Html {
  return toHtml(<FormActions cancelPath={back}>{fromHtml(act)}</FormActions>);
}
