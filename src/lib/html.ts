/** Markup that is safe to send: everything put into it was escaped. */
export type Html = { readonly markup: string };

type Value = string | number | Html | readonly Html[];

/** Markup from a template; what is put in is escaped, unless it is markup itself. Lists follow each other. */
export function html(parts: TemplateStringsArray, ...values: readonly Value[]): Html {
  let markup = parts[0] ?? '';
  values.forEach((value, i) => {
    markup += markupOf(value) + (parts[i + 1] ?? '');
  });
  return { markup };
}

function markupOf(value: Value): string {
  if (typeof value !== 'object') return escapeHtml(String(value));
  return 'markup' in value ? value.markup : value.map(({ markup }) => markup).join('');
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** For text and for attribute values within quotes. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character] as string);
}
