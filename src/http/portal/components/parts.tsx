import { type Html, html } from '../../../lib/html.ts';
import { type Instant, isoOf } from '../../../lib/time.ts';
import { TOKEN_FIELD } from '../kit/csrf.ts';
import type { Visit } from '../kit/route.ts';
import { actOrCancel } from './rows.tsx';

/** What is wrong with a form, told on top of the page and beside its field. */
export type Mistake = {
  /** The name of the field; undefined where it is the whole form. */
  readonly field?: string;
  readonly text: string;
};

/** A form, with the token that makes it ours. */
export function form(parts: {
  readonly visit: Pick<Visit, 'formToken'>;
  readonly action: string;
  readonly content: Html;
  /** For scripts. */
  readonly id?: string;
}): Html {
  const id = parts.id === undefined ? html`` : html` id="${parts.id}"`;
  return html`<form method="post" action="${parts.action}"${id}>
<input type="hidden" name="${TOKEN_FIELD}" value="${parts.visit.formToken}">
${parts.content}
</form>`;
}

export type Field = {
  /** Also its id. */
  readonly name: string;
  readonly label: string;
  /** `text` unless said. */
  readonly type?: 'text' | 'email' | 'password' | 'search' | 'number' | 'date';
  /** What it holds; never a password. */
  readonly value?: string;
  readonly help?: string;
  readonly autocomplete?: string;
  readonly inputmode?: 'numeric' | 'email';
  /** Of a number, inclusive. */
  readonly range?: { readonly min: number; readonly max: number };
  /** Has to be filled in, unless said otherwise. */
  readonly isOptional?: boolean;
  readonly isFocused?: boolean;
  /** Only letters that a machine reads: no correction, no capitals. */
  readonly isLiteral?: boolean;
  /** Shows how strong the password is, where there are scripts. */
  readonly hasMeter?: boolean;
};

/** A labelled field with its help, and with what was wrong with it. */
export function field(parts: Field, mistakes: readonly Mistake[] = []): Html {
  const { name, label, type = 'text', value = '', help, hasMeter = false } = parts;
  const mistake = mistakes.find((one) => one.field === name);
  const told = [help === undefined ? '' : `${name}-help`, mistake === undefined ? '' : `${name}-mistake`];
  const described = told.filter((id) => id !== '').join(' ');
  return html`<div class="field">
<label for="${name}">${label}${parts.isOptional ? html` <span class="optional">(optional)</span>` : ''}</label>
${
  help === undefined
    ? ''
    : html`<p class="help" id="${name}-help">${help}</p>
`
}${
  mistake === undefined
    ? ''
    : html`<p class="mistake" id="${name}-mistake">${mistake.text}</p>
`
}<input id="${name}" name="${name}" type="${type}" value="${value}"${attributesOf(parts)}${
    mistake === undefined ? '' : html` aria-invalid="true"`
  }${described === '' ? '' : html` aria-describedby="${described}"`}>
${
  hasMeter
    ? html`<p class="strength" data-strength-of="${name}" role="status" hidden></p>
`
    : ''
}</div>
`;
}

function attributesOf(parts: Field): readonly Html[] {
  return [
    parts.isOptional ? html`` : html` required`,
    parts.autocomplete === undefined ? html`` : html` autocomplete="${parts.autocomplete}"`,
    parts.inputmode === undefined ? html`` : html` inputmode="${parts.inputmode}"`,
    parts.range === undefined ? html`` : html` min="${parts.range.min}" max="${parts.range.max}"`,
    parts.isLiteral ? html` autocapitalize="none" spellcheck="false"` : html``,
    parts.isFocused ? html` autofocus` : html``,
  ];
}

/** The button that sends a form. */
export function submit(label: string, tone: 'main' | 'quiet' | 'danger' = 'main'): Html {
  return html`<button type="submit" class="${tone}">${label}</button>`;
}

/** A part of a page in a box of its own. */
export function card(title: string, content: Html): Html {
  return html`<section class="card">
<h2>${title}</h2>
${content}
</section>
`;
}

/** A table that scrolls inside where the window is narrow. @param empty what to say where there are no rows */
export function table(parts: {
  readonly caption: string;
  readonly head: readonly string[];
  readonly rows: readonly (readonly (string | Html)[])[];
  readonly empty: string;
}): Html {
  if (parts.rows.length === 0)
    return html`<p class="empty">${parts.empty}</p>
`;
  const head = parts.head.map((cell) => html`<th scope="col">${cell}</th>`);
  const rows = parts.rows.map(
    (row) => html`<tr>${row.map((cell) => html`<td>${cell}</td>`)}</tr>
`,
  );
  return html`<div class="table" role="region" aria-label="${parts.caption}" tabindex="0">
<table>
<caption>${parts.caption}</caption>
<thead><tr>${head}</tr></thead>
<tbody>
${rows}</tbody>
</table>
</div>
`;
}

/** Links to the pages before and after. @param pathOf the address of a page, which counts from 0 */
export function pager(parts: {
  readonly page: number;
  readonly hasMore: boolean;
  readonly pathOf: (page: number) => string;
}): Html {
  const { page, hasMore, pathOf } = parts;
  if (page === 0 && !hasMore) return html``;
  const before = page === 0 ? html`` : html`<a rel="prev" href="${pathOf(page - 1)}">Previous</a>`;
  const after = hasMore ? html`<a rel="next" href="${pathOf(page + 1)}">Next</a>` : html``;
  return html`<nav class="pager" aria-label="Pages">${before}<span>Page ${page + 1}</span>${after}</nav>
`;
}

/** A form for what cannot be undone: the name has to be typed. Its field is `typed_name`. */
export function confirmByName(parts: {
  readonly visit: Visit;
  readonly action: string;
  readonly name: string;
  /** What happens, in a sentence. */
  readonly warning: string;
  readonly button: string;
  /** Where it leads who thinks better of it. */
  readonly back: string;
  readonly mistakes?: readonly Mistake[];
}): Html {
  const label = `Type “${parts.name}” to confirm`;
  const content = html`<p>${parts.warning}</p>
${field({ name: 'typed_name', label, autocomplete: 'off', isLiteral: true }, parts.mistakes)}${actOrCancel(submit(parts.button, 'danger'), parts.back)}`;
  return form({ visit: parts.visit, action: parts.action, content });
}

/** A text to be copied, with a button where there are scripts. @param id told apart from all others of the page */
export function copyable(id: string, text: string, label: string): Html {
  return html`<div class="copyable"><code id="${id}">${text}</code>
<button type="button" class="quiet" data-copy="${id}" hidden>${label}</button></div>
`;
}

/** A moment for people, to the minute. */
export function moment(instant: Instant): Html {
  const iso = isoOf(instant);
  return html`<time datetime="${iso}">${iso.slice(0, 10)} ${iso.slice(11, 16)} UTC</time>`;
}

/** An address as people write it. IPv6 is known by its network alone, in hex. */
export function addressName(address: string): string {
  const groups = /^[0-9a-f]{16}$/.test(address) ? (address.match(/..../g) ?? []) : [];
  return groups.length === 0
    ? address
    : `${groups.map((group) => group.replace(/^0{1,3}/, '')).join(':')}::/64`;
}
