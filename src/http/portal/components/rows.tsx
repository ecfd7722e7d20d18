import { type Html, html } from '../../../lib/html.ts';

/** One of a list: what it is, what there is to know about it, and what can be done. */
export type Row = {
  readonly name: Html;
  readonly facts: readonly (string | Html)[];
  readonly actions?: readonly Html[];
};

/** A list whose columns stand below each other where the window is narrow. @param empty what to say where there are no rows */
export function rowList(all: readonly Row[], empty: string): Html {
  if (all.length === 0)
    return html`<p class="empty">${empty}</p>
`;
  const items = all.map(
    ({ name, facts, actions = [] }) => html`<li><div class="name">${name}</div>
<ul class="facts">${facts.map((fact) => html`<li>${fact}</li>`)}</ul>
<div class="actions">${actions}</div></li>
`,
  );
  return html`<ul class="rows">
${items}</ul>
`;
}

/** A person in a list: the name, and below it the address where that is another text. */
export function personRow(
  { name, email }: { readonly name: string; readonly email: string },
  note = '',
): Html {
  const address = html`<span class="soft">${email}</span>`;
  return html`<bdi>${name}</bdi>${note === '' ? '' : ` ${note}`}${name === email ? '' : address}`;
}

/** A person in a sentence. */
export function personName({ name, email }: { readonly name: string; readonly email: string }): Html {
  return name === email ? html`${email}` : html`<bdi>${name}</bdi> (${email})`;
}

/** The buttons of a form beside each other; the second leads back. @param act the button that sends it */
export function actOrCancel(act: Html, back: string): Html {
  return html`<div class="buttons">${act}<a class="button quiet" href="${back}">Cancel</a></div>`;
}
