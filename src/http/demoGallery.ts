import { type Html, html } from '../lib/html.ts';

/** How the page shows the widget; each is an attribute of it. */
export type DemoChoice = {
  readonly mode: string;
  readonly theme: string;
  readonly start: string;
  readonly lang: string;
};

export type DemoLanguage = { readonly tag: string; readonly name: string };

const MODES = ['widget', 'popup', 'hidden', 'inline'];
const THEMES = ['light', 'dark', 'auto'];
const STARTS = ['auto', 'click', 'load'];

/**
 * What the address asks for; `undefined` where it asks for something that is not there.
 *
 * @param query of the page: `mode`, `theme`, `start`, `lang`, each at most once
 */
export function parseChoice(
  query: URLSearchParams,
  languages: readonly DemoLanguage[],
): DemoChoice | undefined {
  const tags = ['auto', 'en', ...languages.map(({ tag }) => tag)];
  const allowed: Readonly<Record<keyof DemoChoice, readonly string[]>> = {
    mode: MODES,
    theme: THEMES,
    start: STARTS,
    lang: tags,
  };
  const choice = { mode: 'widget', theme: 'light', start: 'auto', lang: 'auto' };
  const seen = new Set<string>();
  for (const [name, value] of query) {
    if (!(name in allowed) || seen.has(name)) return undefined;
    const key = name as keyof DemoChoice;
    if (!allowed[key].includes(value)) return undefined;
    seen.add(name);
    choice[key] = value;
  }
  return choice;
}

/** The widget as a page writes it, for the page and for copying. */
export function widgetMarkup(sitekey: string, choice: DemoChoice): Html {
  const { mode, theme, start, lang } = choice;
  const attribute = (name: string, value: string, usual: string): Html =>
    value === usual ? html`` : html` ${name}="${value}"`;
  return html`<div class="postern-captcha" data-sitekey="${sitekey}"${attribute('data-display-mode', mode, 'widget')}${attribute('data-theme', theme, 'light')}${attribute('data-start-mode', start, 'auto')}${attribute('data-lang', lang, 'auto')} data-debug="true"></div>`;
}

/** A form that shows the page again with another choice; it needs no script. */
export function choiceForm(choice: DemoChoice, languages: readonly DemoLanguage[]): Html {
  const named = (values: readonly string[]) => values.map((value) => ({ tag: value, name: value }));
  return html`<form method="get" action="/demo" class="choice">
${select('mode', 'Display mode', choice.mode, named(MODES))}
${select('theme', 'Theme', choice.theme, named(THEMES))}
${select('start', 'Start', choice.start, named(STARTS))}
${select('lang', 'Language', choice.lang, [
  { tag: 'auto', name: 'auto' },
  { tag: 'en', name: 'English' },
  ...languages,
])}
<button type="submit">Show</button>
</form>`;
}

function select(name: string, label: string, chosen: string, options: readonly DemoLanguage[]): Html {
  const items = options.map((option) =>
    option.tag === chosen
      ? html`<option value="${option.tag}" selected>${option.name}</option>`
      : html`<option value="${option.tag}">${option.name}</option>`,
  );
  return html`<label>${label}
<select name="${name}">
${join(items)}
</select></label>`;
}

/** Every mode in every theme, each in a form of its own. Nothing starts by itself. */
export function gallery(sitekey: string): Html {
  const shown = MODES.flatMap((mode) => THEMES.map((theme) => exhibit(sitekey, mode, theme)));
  return html`<div class="gallery">
${join(shown)}
</div>`;
}

function exhibit(sitekey: string, mode: string, theme: string): Html {
  return html`<form class="exhibit ${theme}">
<h3>${mode}, ${theme}</h3>
<div class="postern-captcha" data-sitekey="${sitekey}" data-display-mode="${mode}" data-theme="${theme}" data-start-mode="click" data-name="${mode}, ${theme}"></div>
<p><button type="button" data-start>Start</button> <button type="reset">Reset</button></p>
</form>`;
}

function join(parts: readonly Html[]): Html {
  return { markup: parts.map(({ markup }) => markup).join('\n') };
}
