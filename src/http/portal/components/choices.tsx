import { type Html, html } from '../../../lib/html.ts';
import type { Mistake } from './parts.tsx';

/** Parts of forms in which one chooses; those in which one types are in `parts.ts`. */

type Choice = {
  /** Also its id. */
  readonly name: string;
  readonly label: string;
  readonly help?: string | undefined;
};

/** One of several. @param parts.value the one that is chosen */
export function select(
  parts: Choice & { readonly value: string; readonly options: Readonly<Record<string, string>> },
  mistakes: readonly Mistake[] = [],
): Html {
  const { name, label, help, value, options } = parts;
  const { notes, attributes } = about(name, help, mistakes);
  const items = Object.entries(options).map(
    ([key, text]) =>
      html`<option value="${key}"${key === value ? html` selected` : ''}>${text}</option>
`,
  );
  return html`<div class="field">
<label for="${name}">${label}</label>
${notes}<select id="${name}" name="${name}"${attributes}>
${items}</select>
</div>
`;
}

/** Yes or no: sent as `on`, or not at all. */
export function checkbox(
  parts: Choice & { readonly isChecked: boolean },
  mistakes: readonly Mistake[] = [],
): Html {
  const { name, label, help, isChecked } = parts;
  const { notes, attributes } = about(name, help, mistakes);
  return html`<div class="field check">
<input type="checkbox" id="${name}" name="${name}"${isChecked ? html` checked` : ''}${attributes}>
<label for="${name}">${label}</label>
${notes}</div>
`;
}

/** Help and mistake of a field, and the attributes by which it names them. */
function about(name: string, help: string | undefined, mistakes: readonly Mistake[]) {
  const mistake = mistakes.find(({ field }) => field === name);
  const told = [help === undefined ? '' : `${name}-help`, mistake === undefined ? '' : `${name}-mistake`];
  const described = told.filter((id) => id !== '').join(' ');
  const helpNote =
    help === undefined
      ? html``
      : html`<p class="help" id="${name}-help">${help}</p>
`;
  const mistakeNote =
    mistake === undefined
      ? html``
      : html`<p class="mistake" id="${name}-mistake">${mistake.text}</p>
`;
  const invalid = mistake === undefined ? html`` : html` aria-invalid="true"`;
  const describedBy = described === '' ? html`` : html` aria-describedby="${described}"`;
  return { notes: html`${helpNote}${mistakeNote}`, attributes: html`${invalid}${describedBy}` };
}
