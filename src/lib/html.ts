/** Markup that is safe to send: everything put into it was escaped. */
export type Html = { readonly markup: string };

/** Markup from a template; what is put in is escaped, unless it is markup itself. */
export function html(parts: TemplateStringsArray, ...values: readonly (string | number | Html)[]): Html {
  let markup = parts[0] ?? '';
  values.forEach((value, i) => {
    markup += (typeof value === 'object' ? value.markup : escapeHtml(String(value))) + (parts[i + 1] ?? '');
  });
  return { markup };
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
