import type { Children } from '../../jsx/elements.ts';
import { WIDGET_CHOICES } from '../../lib/widgetChoices.ts';

/** The options of the widget on the demo page; each member is an attribute of the widget. */
export type DemoChoice = {
  readonly mode: string;
  readonly theme: string;
  readonly start: string;
  readonly lang: string;
};

export type DemoLanguage = { readonly tag: string; readonly name: string };

const { displayMode: MODES, theme: THEMES, startMode: STARTS } = WIDGET_CHOICES;

/** The defaults of the widget's attributes. */
const DEFAULTS: DemoChoice = { mode: 'widget', theme: 'light', start: 'auto', lang: 'auto' };

/** The widget of the form at first: with the colors of the browser. */
export const DEMO_CHOICE: DemoChoice = { ...DEFAULTS, theme: 'auto' };

/**
 * Parses the query of the page: `mode`, `theme`, `start`, and `lang`, each at most once.
 *
 * @returns undefined if a parameter is unknown, repeated, or has an unknown value
 */
export function parseChoice(
  query: URLSearchParams,
  languages: readonly DemoLanguage[],
): DemoChoice | undefined {
  const tags = ['auto', 'en', ...languages.map(({ tag }) => tag)];
  const allowed: Readonly<Record<string, readonly string[]>> = {
    mode: MODES,
    theme: THEMES,
    start: STARTS,
    lang: tags,
  };
  const names = [...query.keys()];
  const isValid = [...query].every(
    ([name, value], index) =>
      Object.hasOwn(allowed, name) && allowed[name]?.includes(value) && names.indexOf(name) === index,
  );
  return isValid ? { ...DEMO_CHOICE, ...Object.fromEntries(query) } : undefined;
}

/** The markup of the widget. Attributes with default values are omitted. */
export function Widget({
  sitekey,
  choice,
  isDebugging = false,
}: {
  readonly sitekey: string;
  readonly choice: DemoChoice;
  /** Whether the widget logs its progress to the console. */
  readonly isDebugging?: boolean;
}) {
  const attribute = (key: keyof DemoChoice) => (choice[key] === DEFAULTS[key] ? undefined : choice[key]);
  return (
    <div
      class="postern-captcha"
      data-sitekey={sitekey}
      data-display-mode={attribute('mode')}
      data-theme={attribute('theme')}
      data-start-mode={attribute('start')}
      data-lang={attribute('lang')}
      data-debug={isDebugging ? 'true' : undefined}
    />
  );
}

type ChoiceFormProps = { readonly choice: DemoChoice; readonly languages: readonly DemoLanguage[] };

/** A form that shows the page with other attributes. It needs no script. */
export function ChoiceForm({ choice, languages }: ChoiceFormProps) {
  const named = (values: readonly string[]) => values.map((value) => ({ tag: value, name: value }));
  const all = [{ tag: 'auto', name: 'auto' }, { tag: 'en', name: 'English' }, ...languages];
  return (
    <form method="get" action="/demo" class="choice">
      <Select name="mode" label="Display mode" selected={choice.mode} options={named(MODES)} />
      <Select name="theme" label="Theme" selected={choice.theme} options={named(THEMES)} />
      <Select name="start" label="Start" selected={choice.start} options={named(STARTS)} />
      <Select name="lang" label="Language" selected={choice.lang} options={all} />
      <button type="submit" class="apply quiet">
        Apply
      </button>
    </form>
  );
}

type SelectProps = {
  readonly name: keyof DemoChoice;
  readonly label: string;
  readonly selected: string;
  readonly options: readonly DemoLanguage[];
};

function Select({ name, label, selected, options }: SelectProps) {
  return (
    <label>
      {label}{' '}
      <select name={name}>
        {options.map((option) => (
          <option
            value={option.tag}
            lang={name === 'lang' && option.tag !== 'auto' ? option.tag : undefined}
            selected={option.tag === selected}
          >
            {option.name}
          </option>
        ))}
      </select>
    </label>
  );
}

/** What the gallery says about modes in which the widget is not in its place. */
const HIDDEN_MODES: Readonly<Record<string, string>> = {
  popup: 'Hidden until the check starts; then it is in the corner of the window.',
  hidden: 'Always hidden. The list below shows its events.',
};

type GalleryProps = { readonly sitekey: string };

/** Every mode in every theme, each in its own form. No widget starts by itself. */
export function Gallery({ sitekey }: GalleryProps) {
  const variants = MODES.flatMap((mode) => THEMES.map((theme) => [mode, theme] as const));
  return (
    <div class="gallery">
      {variants.map(([mode, theme]) => (
        <Exhibit title={`${mode}, ${theme}`} theme={theme} hint={HIDDEN_MODES[mode]}>
          <div
            class="postern-captcha"
            data-sitekey={sitekey}
            data-display-mode={mode}
            data-theme={theme}
            data-start-mode="click"
            data-name={`${mode}, ${theme}`}
          />
        </Exhibit>
      ))}
    </div>
  );
}

/** The states of a widget. `isSimulated`: `demo.js` responds to the request for a puzzle. */
const STATES = [
  { state: 'idle', title: 'Idle' },
  { state: 'checking', title: 'Checking', isSimulated: true },
  { state: 'done', title: 'Done' },
  { state: 'expired', title: 'Expired', isSimulated: true },
  { state: 'error', title: 'Error', isSimulated: true },
  { state: 'offline', title: 'Offline', isSimulated: true },
  { state: 'unsupported', title: 'Unsupported browser' },
];

/** A widget for every state. `demo.js` starts them when they become visible. */
export function StateGallery({ sitekey }: GalleryProps) {
  return (
    <div class="gallery" id="states">
      {STATES.map(({ state, title, isSimulated }) => (
        <Exhibit title={title} theme="auto">
          <div
            class="postern-captcha"
            data-sitekey={sitekey}
            data-puzzle-endpoint={isSimulated ? `/demo/states/${state}` : undefined}
            data-theme="auto"
            data-start-mode="click"
            data-refresh-expired="manual"
            data-state={state}
          />
        </Exhibit>
      ))}
    </div>
  );
}

type ExhibitProps = {
  readonly title: string;
  readonly theme: string;
  readonly hint?: string | undefined;
  readonly children: Children;
};

/** A widget in a form with a button that starts it, and one that resets it. */
function Exhibit({ title, theme, hint, children }: ExhibitProps) {
  return (
    <form class={`exhibit ${theme}`}>
      <h3>{title}</h3>
      {hint !== undefined && <p>{hint}</p>}
      {children}
      <p>
        <button type="button" class="quiet" data-start="">
          Start
        </button>{' '}
        <button type="reset" class="quiet">
          Reset
        </button>
      </p>
    </form>
  );
}
