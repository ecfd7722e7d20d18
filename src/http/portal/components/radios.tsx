import { type Html, html } from '../../../lib/html.ts';
import type { Mistake } from './parts.tsx';

/** A few choices, each on a line of its own; the first one has the name as its id. */
export function radios(
  parts: {
    readonly name: string;
    readonly label: string;
    readonly help?: string;
    readonly value: string;
    readonly options: Readonly<Record<string, string>>;
  },
  mistakes: readonly Mistake[] = [],
): Html {
  const { name, label, help, value, options } = parts;
  const mistake = mistakes.find(({ field }) => field === name);
  const items = Object.entries(options).map(([key, text], at) => {
    const id = at === 0 ? name : `${name}-${key}`;
    const checked = key === value ? html` checked` : html``;
    return html`<div class="check"><input type="radio" id="${id}" name="${name}" value="${key}"${checked} required>
<label for="${id}">${text}</label></div>
`;
  });
  const [note, describedBy] =
    mistake === undefined
      ? [html``, html``]
      : [
          html`<p class="mistake" id="${name}-mistake">${mistake.text}</p>
`,
          html` aria-describedby="${name}-mistake"`,
        ];
  return html`<fieldset class="field"${describedBy}>
<legend>${label}</legend>
${
  help === undefined
    ? ''
    : html`<p class="help">${help}</p>
`
}${note}${items}</fieldset>
`;
}
