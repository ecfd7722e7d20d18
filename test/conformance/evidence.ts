/** What the findings of the conformance report are based on. */

/** Tests that `npm test` runs: the file, and the title of a test in it, as written in the file. */
export const TESTS = {
  widgetAxe: [
    'test/browser/accessibility/accessibility.test.ts',
    'has no violations according to axe-core: %s',
  ],
  widgetSpacing: [
    'test/browser/accessibility/narrow.test.ts',
    'no text is cut off with the text spacing of WCAG 2.2: %s',
  ],
  widgetMotion: [
    'test/browser/accessibility/accessibility.test.ts',
    'nothing moves during the check if the visitor prefers reduced motion',
  ],
  widgetZoom: [
    'test/browser/accessibility/narrow.test.ts',
    'the control is large enough, and nothing is clipped at 200% zoom',
  ],
  widgetKeyboard: [
    'test/browser/keyboard/keyboard.test.ts',
    'Tab focuses the control visibly, and %s activates it',
  ],
  widgetRole: [
    'test/browser/keyboard/fullTree.test.ts',
    'the control is a checkbox with a name, a state, and a description',
  ],
  widgetContrast: ['test/widget/styles.test.ts', '%s: its %s has a contrast of at least %d'],
  widgetPopup: [
    'test/browser/appearance/phone.test.ts',
    'popup: the widget is inside the window, even on a phone',
  ],
  widgetExpiry: [
    'test/browser/expiry/expiry.test.ts',
    'an expired solution is cleared and a new puzzle is solved',
  ],
  widgetRetry: [
    'test/browser/outage/outage.test.ts',
    'an unreachable server is tried four times, then the visitor can try again',
  ],
  widgetProblems: [
    'test/browser/languages/languages.test.ts',
    'problems that visitors cannot solve have one message in the language of the widget',
  ],
  widgetLanguage: [
    'test/browser/languages/languages.test.ts',
    'that of the attribute, regardless of the page and the browser',
  ],
  widgetTexts: [
    'test/browser/languages/languages.test.ts',
    'the texts of every language fit, even in a narrow column, and only words that are wider than the widget are broken',
  ],
  widgetAnnouncement: [
    'test/browser/languages/languages.test.ts',
    'a status announced in English is not announced again after the language is loaded',
  ],
  widgetSolve: [
    'test/browser/solve/solve.test.ts',
    'activating the control solves the puzzle, and the submitted payload is valid',
  ],
  widgetHeldForm: [
    'test/browser/holdSubmit/holdSubmit.test.ts',
    'a form that is submitted before the check is sent once, with the solution and the same button',
  ],
  portalSignIn: [
    'test/browser/portal/signIn.test.ts',
    'a user completes the setup, turns on two-factor authentication, and signs in with a code and a recovery code',
  ],
  portalMenu: [
    'test/browser/portal/signIn.test.ts',
    'the navigation is next to the page on a desktop and behind a button on a phone, also with a keyboard',
  ],
  portalProperty: [
    'test/browser/portal/properties.test.ts',
    'a new user protects the first property, sees its first verification, changes its settings, and uses the playground',
  ],
  portalKeys: [
    'test/browser/portal/settings.test.ts',
    'a user creates an API key, verifies with it, rotates it, and revokes it',
  ],
  portalTask: [
    'test/browser/portal/settings.test.ts',
    'tasks show the result of each property, and the page of an unfinished task reloads itself',
  ],
  portalOrganization: [
    'test/browser/portal/organizations.test.ts',
    'an owner invites a user, removes and invites the user again, and transfers the organization',
  ],
  portalAdministration: [
    'test/browser/portal/settings.test.ts',
    'an administrator views the system, creates a user with a link, and disables a user',
  ],
  portalTitle: [
    'test/browser/portal/wcag.test.ts',
    'the title of every page contains its heading, and its language is marked',
  ],
  portalOrder: [
    'test/browser/portal/wcag.test.ts',
    'the navigation has the same order on every page, and the help is in the same place',
  ],
  portalSpacing: [
    'test/browser/portal/wcag.test.ts',
    'no page cuts off text with the text spacing of WCAG 2.2',
  ],
  portalEnlarged: [
    'test/browser/portal/wcag.test.ts',
    'no page cuts off text of twice the size, or is too wide at 200% zoom',
  ],
  portalFocus: [
    'test/browser/portal/wcag.test.ts',
    'every control of every page shows the focus, and no other element covers it, also at 400% zoom',
  ],
  portalFields: [
    'test/browser/portal/wcag.test.ts',
    'the borders of fields have a contrast of 3:1 on every page in both themes',
  ],
  portalTab: [
    'test/browser/portal/wcag.test.ts',
    'Tab reaches every control of a page in the order of the document',
  ],
  portalLevel: [
    'test/browser/portal/wcag.test.ts',
    'selecting the custom level with the keyboard opens its field and does not move the focus',
  ],
  portalTabs: ['test/browser/portal/wcag.test.ts', 'with forced colors, only the current tab is underlined'],
  portalCopy: ['test/browser/portal/wcag.test.ts', 'copying a text is announced'],
  portalShortcuts: [
    'test/browser/portal/shortcuts.test.ts',
    'shortcuts can be turned off in a browser, and on again',
  ],
  portalDialog: [
    'test/browser/portal/shortcuts.test.ts',
    'a question mark shows all shortcuts in a dialog, which Escape closes',
  ],
  portalReveal: [
    'test/browser/portal/shortcuts.test.ts',
    'a password can be shown, and is hidden again before it is sent',
  ],
  portalPause: ['test/browser/portal/statistics.test.ts', 'the updates can be paused and resumed'],
  portalTable: [
    'test/browser/portal/statistics.test.ts',
    'the dashboard shows requests in its chart and its table',
  ],
  portalChartColors: [
    'test/browser/portal/statistics.test.ts',
    'with forced colors, the lines have colors of the system',
  ],
  portalNames: [
    'test/browser/portal/organizations.test.ts',
    'long and non-Latin names and long lists fit the width of the page, and every page is small',
  ],
  portalLinks: [
    'test/browser/portal/walk.test.ts',
    'every page has a link, and links within a page lead to an element',
  ],
  portalSearch: [
    'test/portal/home/search.test.ts',
    'finds organizations by name, and properties by name and domain, in any case and script',
  ],
  portalHelp: ['test/portal/kit/help.test.ts', 'pages link to their help, for visitors and for users'],
  portalErrors: [
    'test/portal/properties/properties.test.ts',
    'with errors shows the form again, with each error beside its field and the typed values',
  ],
  portalConfirmation: [
    'test/portal/kit/destructive.test.ts',
    'that is destructive is inside a confirmation that names the consequence',
  ],
  portalLabels: ['test/portal/i18n/catalogs.test.ts', 'has the label %s in the accessible name %s'],
  portalPurpose: [
    'test/portal/account/inputPurpose.test.ts',
    'fields for data of the user name their purpose',
  ],
  portalPaste: [
    'test/portal/account/inputPurpose.test.ts',
    'no script of the pages can prevent pasting, and no password field is limited',
  ],
  portalHeldForm: [
    'test/portal/account/interruptedForms.test.ts',
    'is processed after the password was entered, with the values that were sent',
  ],
  portalSession: ['test/portal/account/signIn.test.ts', 'ends after twelve hours without activity'],
  portalLanguages: ['test/portal/i18n/pages.test.ts', 'GET %s in Japanese has no English text'],
  portalLanguageNames: [
    'test/portal/i18n/preferences.test.ts',
    'have names, each of which is marked with its language',
  ],
  pagesAxe: [
    'test/browser/publicPages/publicPages.test.ts',
    'is accessible, fits every window, and contacts no other server: %s',
  ],
  pagesVerdict: [
    'test/browser/publicPages/publicPages.test.ts',
    'with a verdict is accessible and fits every window',
  ],
  apiAxe: ['test/browser/swagger/look.test.ts', 'is accessible and does not scroll within the page: %s'],
  apiWcag: [
    'test/browser/swagger/look.test.ts',
    'meets the criteria of WCAG 2.2 that axe-core does not cover',
  ],
  pagesMenu: [
    'test/browser/publicPages/publicPages.test.ts',
    'opens its navigation with a button in narrow windows',
  ],
  pagesEscape: ['test/browser/publicPages/publicPages.test.ts', 'closes the results with Escape'],
  pagesTitle: ['test/browser/publicPages/wcag.test.ts', 'every page has a language, and a title of its own'],
  pagesSpacing: [
    'test/browser/publicPages/wcag.test.ts',
    'no page cuts off text with the text spacing of WCAG 2.2',
  ],
  pagesEnlarged: [
    'test/browser/publicPages/wcag.test.ts',
    'no page cuts off text of twice the size, or is too wide at 200% zoom',
  ],
  pagesFocus: [
    'test/browser/publicPages/wcag.test.ts',
    'every control of every page shows the focus, and no other element covers it, also at 400% zoom',
  ],
  pagesFields: [
    'test/browser/publicPages/wcag.test.ts',
    'the borders of fields have a contrast of 3:1 on every page in both themes',
  ],
  pagesTab: [
    'test/browser/publicPages/wcag.test.ts',
    'Tab reaches every control of a page in the order of the document',
  ],
  pagesShortcut: [
    'test/browser/publicPages/wcag.test.ts',
    'in the documentation, Ctrl+K moves the focus to the search, and keys without a modifier do nothing',
  ],
  pagesCount: [
    'test/browser/publicPages/wcag.test.ts',
    'in the documentation, the number of results is announced while the reader types',
  ],
  pagesHeadings: [
    'test/http/docs/docs.test.ts',
    'has unique anchors and one heading of the first level on each page',
  ],
} as const satisfies Readonly<Record<string, readonly [file: string, title: string]>>;

export type TestName = keyof typeof TESTS;

const DATE = '2026-11-27';

/** What a person or a script examined once. No test repeats it. */
export const EXAMINATIONS = {
  markup: {
    date: DATE,
    what: 'Searched the markup, style sheets, and scripts of all components for audio, video, images, canvases, animations, embedded documents, biometric functions, and conversions of documents. Only the widget has an animation, and only the portal has a canvas (the chart).',
  },
  scripts: {
    date: DATE,
    what: 'Read all scripts of the pages (`static/*.js`) and the event listeners of the widget: pointers, keys, focus, input, motion, changes of context, time limits.',
  },
  texts: {
    date: DATE,
    what: 'Read the English texts of the widget, the portal, and the demo: labels, headings, links, instructions, errors, and references to position or color.',
  },
  widgetTree: {
    date: DATE,
    what: 'Read the accessibility tree of Chromium for the widget on the demo page, before and after the check.',
  },
  portalTree: {
    date: DATE,
    what: 'Read the accessibility trees of Chromium for 11 pages of the portal: sign-in (with and without an error), home, dashboard, settings, and integration of a property, members, activity, security, preferences, the form for API keys, and an unknown address.',
  },
  pagesTree: {
    date: DATE,
    what: 'Read the accessibility trees of Chromium for the welcome page, the demo, two pages of the documentation, and the API reference.',
  },
  keyboard: {
    date: DATE,
    what: 'Moved through the same pages with the Tab key, 12 to 50 stops each, and recorded which element had the focus, including the parts of the widget.',
  },
  pictures: {
    date: DATE,
    what: 'Inspected 20 screenshots of the same pages: in light and dark, with forced colors, and in windows of 320 by 640 and 640 by 320 pixels.',
  },
  documentation: {
    date: DATE,
    what: 'Read what the documentation says about accessibility, and where it is published.',
  },
} as const satisfies Readonly<Record<string, { readonly date: string; readonly what: string }>>;

export type ExaminationName = keyof typeof EXAMINATIONS;
