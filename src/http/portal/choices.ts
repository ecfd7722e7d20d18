import { type Html, html } from '../../lib/html.ts';
import type { Mistake } from './parts.ts';

/** What can be chosen: values, and what people read. */
export type Options = readonly (readonly [value: string, label: string])[];

export type Choice = {
  /** Also its id. */
  readonly name: string;
  readonly label: string;
  readonly options: Options;
  readonly value: string;
  readonly help?: string;
};

/** A list to choose one of, with what was wrong with it. */
export function select(
  { name, label, options, value, help }: Choice,
  mistakes: readonly Mistake[] = [],
): Html {
  const all = options.map(
    ([one, text]) => html`<option value="${one}"${one === value ? html` selected` : ''}>${text}</option>
`,
  );
  return html`<div class="field">
<label for="${name}">${label}</label>
${aside(name, help, mistakes)}<select id="${name}" name="${name}"${describedBy(name, help, mistakes)}>
${all}</select>
</div>
`;
}

/** A few choices, each on a line of its own; the first one has the name as its id. */
export function radios(
  { name, label, options, value, help }: Choice,
  mistakes: readonly Mistake[] = [],
): Html {
  const all = options.map(([one, text], at) => {
    const id = at === 0 ? name : `${name}-${one}`;
    const checked = one === value ? html` checked` : '';
    return html`<div class="tick"><input type="radio" id="${id}" name="${name}" value="${one}"${checked} required>
<label for="${id}">${text}</label></div>
`;
  });
  return html`<fieldset class="field"${describedBy(name, help, mistakes)}>
<legend>${label}</legend>
${aside(name, help, mistakes)}${all}</fieldset>
`;
}

/** A box to tick. Its value is `on`. */
export function checkbox(name: string, label: string, isChecked: boolean, help?: string): Html {
  const described = help === undefined ? '' : html` aria-describedby="${name}-help"`;
  return html`<div class="field tick"><input type="checkbox" id="${name}" name="${name}" value="on"${isChecked ? html` checked` : ''}${described}>
<label for="${name}">${label}</label>${help === undefined ? '' : html`<p class="help" id="${name}-help">${help}</p>`}
</div>
`;
}

function aside(name: string, help: string | undefined, mistakes: readonly Mistake[]): Html {
  const mistake = mistakes.find(({ field }) => field === name);
  const helping = help === undefined ? '' : html`<p class="help" id="${name}-help">${help}</p>`;
  return mistake === undefined
    ? html`${helping}`
    : html`${helping}<p class="mistake" id="${name}-mistake">${mistake.text}</p>`;
}

function describedBy(name: string, help: string | undefined, mistakes: readonly Mistake[]): Html {
  const isWrong = mistakes.some(({ field }) => field === name);
  const ids = [help === undefined ? '' : `${name}-help`, isWrong ? `${name}-mistake` : ''];
  const described = ids.filter((id) => id !== '').join(' ');
  return described === '' ? html`` : html` aria-describedby="${described}"`;
}
