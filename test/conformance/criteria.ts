import { absent, type Finding, partly, supports } from './findings.ts';

/** The parts of the product that the report covers. */
export const COMPONENTS = {
  widget: 'Widget',
  portal: 'Portal',
  pages: 'Public pages',
} as const;

export type Component = keyof typeof COMPONENTS;

type Row = Readonly<Record<Component, Finding>>;

const all = (one: Finding): Row => ({ widget: one, portal: one, pages: one });

const NO_MEDIA = all(absent('There is no audio and no video.', 'markup'));

/** The success criteria of WCAG 2.2, levels A and AA, in the order of the catalog. */
export const CRITERIA: Readonly<Record<string, Row>> = {
  '1.1.1': {
    widget: supports(
      'Icons are hidden from assistive technology; text gives the same information. The widget requires no visual or auditory recognition.',
      'widgetAxe',
      'widgetTree',
    ),
    portal: supports(
      'Icons are decorative. The QR code has an accessible name, and its secret is also shown as text. The chart has a caption with the totals and a table with all numbers. Small charts in lists have an accessible name with their numbers.',
      'portalProperty',
      'portalTable',
      'portalTree',
    ),
    pages: supports('Pictures and plots in the documentation have text alternatives.', 'pagesAxe'),
  },
  '1.2.1': NO_MEDIA,
  '1.2.2': NO_MEDIA,
  '1.2.3': NO_MEDIA,
  '1.3.1': {
    widget: supports('The control has a name, a description, and a state.', 'widgetAxe', 'widgetRole'),
    portal: supports(
      'Headings, lists, tables, groups of fields, labels, and errors have the corresponding markup.',
      'portalSignIn',
      'portalProperty',
      'portalKeys',
      'portalTree',
    ),
    pages: supports(
      'Headings, lists, and tables have the corresponding markup.',
      'pagesAxe',
      'pagesHeadings',
    ),
  },
  '1.3.2': {
    widget: supports('The order of the elements is the reading order.', 'widgetTree'),
    portal: supports('The order of the document is the reading order.', 'portalTab', 'portalTree'),
    pages: supports('The order of the document is the reading order.', 'pagesTab', 'pagesTree'),
  },
  '1.3.3': {
    widget: supports('No text refers to shape, size, position, or sound.', 'texts'),
    portal: supports('Instructions name controls and fields by their labels.', 'texts'),
    pages: supports('Instructions name controls by their labels.', 'texts'),
  },
  '1.4.1': {
    widget: supports('Text and the shape of the mark show each state.', 'widgetRole', 'pictures'),
    portal: supports(
      'Badges and errors have text. Links within text are underlined. The lines of the chart differ in width and dash pattern.',
      'pictures',
    ),
    pages: supports('Links within text are underlined. Verdicts have text and a mark.', 'pictures'),
  },
  '1.4.2': all(absent('Nothing plays sound.', 'markup')),
  '2.1.1': {
    widget: supports(
      'Tab reaches the control; Space and Enter activate it. The privacy link is a link.',
      'widgetKeyboard',
      'keyboard',
    ),
    portal: supports(
      'All controls are links, buttons, and form fields, except the chart, which is a slider: arrow keys show the values of each step, and + and − zoom. The values are also in its table.',
      'portalTab',
      'portalMenu',
      'portalTable',
      'keyboard',
    ),
    pages: supports(
      'All controls are links, buttons, and form fields. Scrollable code can receive the focus. In the API reference, no element scrolls.',
      'pagesTab',
      'pagesAxe',
      'keyboard',
      'apiAxe',
    ),
  },
  '2.1.2': {
    widget: supports('Tab leaves the control.', 'keyboard'),
    portal: supports(
      'Tab leaves every control; Escape closes menus and dialogs.',
      'portalTab',
      'portalDialog',
    ),
    pages: supports(
      'Tab leaves every control; Escape closes menus and results.',
      'pagesTab',
      'pagesEscape',
      'pagesMenu',
    ),
  },
  '2.1.4': {
    widget: absent('The widget has no shortcuts.', 'scripts'),
    portal: supports(
      'Users can turn off the shortcuts, on the page that lists them. Ctrl+K or Command+K has a modifier key.',
      'portalShortcuts',
    ),
    pages: supports('The only shortcut, Ctrl+K or Command+K, has a modifier key.', 'pagesShortcut'),
  },
  '2.2.1': {
    widget: supports(
      'There is no time limit for visitors: the widget replaces an expired solution by itself.',
      'widgetExpiry',
    ),
    portal: partly(
      'A session ends after 12 hours without activity, without a warning; operators can set up to 720 hours. If a user then sends a form, the portal asks the user to sign in again, and processes the form with its values, unless it contains a password.',
      'portalSession',
      'portalHeldForm',
    ),
    pages: absent('There are no time limits.', 'scripts'),
  },
  '2.2.2': {
    widget: supports(
      'The only movement shows that a check is in progress. It stops with the check, and does not occur if the visitor prefers reduced motion.',
      'widgetMotion',
    ),
    portal: supports(
      'Users can pause the updates of the statistics. The page of a task reloads only when the task has changed. Nothing moves.',
      'portalPause',
      'portalTask',
    ),
    pages: supports(
      'Nothing moves or updates by itself, except the progress of the widget on the demo page.',
      'scripts',
    ),
  },
  '2.3.1': all(supports('Nothing flashes.', 'markup')),
  '2.4.1': {
    widget: absent('The widget is a single control.', 'widgetTree'),
    portal: supports('The first link of each page skips to its content.', 'portalTab', 'keyboard'),
    pages: supports('The first link of each page skips to its content.', 'pagesTab', 'keyboard'),
  },
  '2.4.2': {
    widget: absent('The title belongs to the page of the website.', 'markup'),
    portal: supports('The title contains the heading and the name of the object.', 'portalTitle'),
    pages: supports('Each page has its own title.', 'pagesTitle'),
  },
  '2.4.3': {
    widget: supports('The control receives the focus first, and then the privacy link.', 'keyboard'),
    portal: supports(
      'The focus follows the order of the document. After an error, the summary has the focus.',
      'portalTab',
      'portalSignIn',
    ),
    pages: supports('The focus follows the order of the document.', 'pagesTab'),
  },
  '2.4.4': {
    widget: supports('The only link is "Privacy", which belongs to the widget.', 'texts'),
    portal: supports('Links name their targets, even out of context.', 'portalTree', 'texts'),
    pages: supports('Links name their targets.', 'pagesAxe', 'texts'),
  },
  '2.5.1': all(absent('There are no multipoint or path-based gestures.', 'scripts')),
  '2.5.2': all(supports('Controls act when the pointer is released (click events).', 'scripts')),
  '2.5.3': {
    widget: supports('The name is the visible label.', 'widgetAxe', 'widgetRole'),
    portal: supports(
      'Names of controls contain their visible labels, in every language.',
      'portalLabels',
      'portalKeys',
      'portalProperty',
    ),
    pages: supports('Names of controls contain their visible labels.', 'pagesAxe'),
  },
  '2.5.4': all(absent('Nothing responds to device motion.', 'scripts')),
  '3.1.1': {
    widget: supports(
      'The `lang` attribute of the widget names its language: that of the page, that of the browser, or the one that the website sets. The widget is available in more than 60 languages.',
      'widgetLanguage',
    ),
    portal: supports('Each page is marked with the language of its text.', 'portalTitle', 'portalLanguages'),
    pages: supports('The pages are in English and marked as such.', 'pagesTitle'),
  },
  '3.2.1': all(
    supports('Receiving the focus changes nothing, except that search fields show their results.', 'scripts'),
  ),
  '3.2.2': {
    widget: supports(
      'Activating the control starts the check and keeps the focus.',
      'widgetKeyboard',
      'scripts',
    ),
    portal: supports(
      'Forms are sent only with their buttons. Selecting a value never moves the focus.',
      'portalLevel',
      'scripts',
    ),
    pages: supports('Forms are sent only with their buttons.', 'scripts'),
  },
  '3.2.6': {
    widget: absent('The widget offers no help. A website can add its own.', 'texts'),
    portal: supports(
      'Each page links to its section of the documentation, next to its heading.',
      'portalOrder',
      'portalHelp',
    ),
    pages: supports('The header of each page links to the documentation.', 'pagesTree'),
  },
  '3.3.1': {
    widget: supports(
      'A failed check is described in text, with the state of the control.',
      'widgetProblems',
      'widgetRetry',
    ),
    portal: supports(
      'A summary lists all errors, has the role `alert` and the focus, and links to the fields. Each field refers to its own error.',
      'portalErrors',
      'portalSignIn',
    ),
    pages: supports('The demo and the search describe errors in text.', 'pagesVerdict', 'texts'),
  },
  '3.3.2': {
    widget: supports('The control has a label and a description.', 'widgetRole'),
    portal: supports(
      'Each field has a label, and help where the format is not obvious.',
      'portalProperty',
      'portalKeys',
    ),
    pages: supports('Each field has a label.', 'pagesAxe'),
  },
  '3.3.7': {
    widget: supports(
      'Visitors enter nothing. A form that is submitted during the check is sent after it, with its values.',
      'widgetSolve',
      'widgetHeldForm',
    ),
    portal: supports(
      'Rejected and interrupted forms keep their values. For security, users must enter only passwords again.',
      'portalErrors',
      'portalHeldForm',
    ),
    pages: absent('No process asks for the same information twice.', 'markup'),
  },
  '4.1.1': all(supports('WCAG 2.2 removed this criterion, and reports state that it is met.', 'markup')),
  '4.1.2': {
    widget: supports(
      'The control has the role `checkbox`, a name, and its state; progress has the role `progressbar`.',
      'widgetAxe',
      'widgetRole',
      'widgetTree',
    ),
    portal: supports(
      'Controls are native elements. Toggles and menus expose their states.',
      'portalReveal',
      'portalTree',
    ),
    pages: supports('Controls are native elements.', 'pagesAxe', 'pagesTree', 'apiAxe'),
  },
  '1.2.4': NO_MEDIA,
  '1.2.5': NO_MEDIA,
  '1.3.4': {
    widget: supports('The widget adapts to every width.', 'widgetAxe', 'widgetPopup'),
    portal: supports('No page depends on the orientation.', 'portalProperty', 'pictures'),
    pages: supports('No page depends on the orientation.', 'pagesAxe', 'pictures'),
  },
  '1.3.5': {
    widget: absent('The widget collects no data about visitors.', 'markup'),
    portal: supports(
      'Fields for names, email addresses, passwords, codes, and organizations name their purpose with `autocomplete`.',
      'portalPurpose',
    ),
    pages: absent('No field asks for data about the visitor.', 'markup'),
  },
  '1.4.3': {
    widget: supports(
      'The contrast is at least 4.5:1 in both themes. A website that sets its own colors is responsible for their contrast.',
      'widgetAxe',
      'widgetContrast',
    ),
    portal: supports(
      'The contrast is at least 4.5:1 in both themes.',
      'portalSignIn',
      'portalProperty',
      'portalOrganization',
      'portalAdministration',
    ),
    pages: supports('The contrast is at least 4.5:1 in both themes.', 'pagesAxe', 'pagesVerdict', 'apiAxe'),
  },
  '1.4.4': {
    widget: supports('Nothing is cut off at 200% zoom.', 'widgetZoom', 'widgetTexts'),
    portal: supports('Nothing is cut off when the text size is doubled.', 'portalEnlarged'),
    pages: supports('Nothing is cut off when the text size is doubled.', 'pagesEnlarged', 'apiWcag'),
  },
  '1.4.5': {
    widget: supports('There are no images of text.', 'markup'),
    portal: supports('There are no images of text, except the labels in the chart.', 'markup'),
    pages: supports(
      'There are no images of text, except screenshots in the documentation, which show the product.',
      'markup',
    ),
  },
  '1.4.10': {
    widget: supports('The widget fits into a column of 120 pixels.', 'widgetTexts', 'widgetPopup'),
    portal: supports(
      'No page scrolls sideways at 320 pixels; tables become lists.',
      'portalSpacing',
      'portalNames',
      'portalProperty',
    ),
    pages: supports(
      'No page scrolls sideways at 320 pixels. Code and wide tables scroll separately.',
      'pagesAxe',
      'pagesSpacing',
      'apiWcag',
    ),
  },
  '1.4.11': {
    widget: supports(
      'Borders, icons, progress, and the focus indicator have a contrast of at least 3:1 in both themes.',
      'widgetContrast',
    ),
    portal: supports(
      'Borders of fields and the focus indicator have a contrast of at least 3:1 in both themes. With forced colors, the chart uses system colors.',
      'portalFields',
      'portalFocus',
      'portalChartColors',
      'portalTabs',
      'pictures',
    ),
    pages: supports(
      'Borders of fields and the focus indicator have a contrast of at least 3:1 in both themes.',
      'pagesFields',
      'pagesFocus',
      'apiWcag',
    ),
  },
  '1.4.12': {
    widget: supports('No text is cut off.', 'widgetSpacing'),
    portal: supports(
      'No text is cut off. Lists shorten sitekeys at any spacing; a button copies them.',
      'portalSpacing',
    ),
    pages: supports('No text is cut off.', 'pagesSpacing', 'apiWcag'),
  },
  '1.4.13': {
    widget: absent('Nothing appears on hover or focus.', 'scripts'),
    portal: supports(
      'Only tooltips of the browser appear. The chart shows the values of a step in its caption, which is always visible.',
      'scripts',
    ),
    pages: supports(
      'The results of the search appear while the reader types; Escape closes them.',
      'pagesEscape',
    ),
  },
  '2.4.5': {
    widget: absent('The widget is not a page.', 'markup'),
    portal: supports(
      'Users can find pages through the navigation and the search.',
      'portalLinks',
      'portalSearch',
    ),
    pages: supports('The documentation has a navigation, a search, and links between pages.', 'pagesTree'),
  },
  '2.4.6': {
    widget: supports('The label says what the control is for.', 'texts'),
    portal: supports('Headings and labels describe their topic or purpose.', 'texts'),
    pages: supports('Headings and labels describe their topic or purpose.', 'texts'),
  },
  '2.4.7': {
    widget: supports('The focus indicator is an outline of 3 pixels.', 'widgetKeyboard', 'widgetContrast'),
    portal: supports('The focus indicator is an outline of 3 pixels.', 'portalFocus'),
    pages: supports('The focus indicator is an outline of 3 pixels.', 'pagesFocus', 'apiWcag'),
  },
  '2.4.11': {
    widget: supports(
      'The widget covers other content only as a popup, which is part of the focus order of its form.',
      'widgetPopup',
      'keyboard',
    ),
    portal: supports('No focused control is covered, even at 400% zoom.', 'portalFocus'),
    pages: supports('No focused control is covered, even at 400% zoom.', 'pagesFocus', 'apiWcag'),
  },
  '2.5.7': all(absent('Nothing requires dragging.', 'scripts')),
  '2.5.8': {
    widget: supports(
      'The control is as large as the widget, and at least 28 pixels high.',
      'widgetZoom',
      'widgetAxe',
    ),
    portal: supports(
      'Controls are at least 24 by 24 pixels, except for links within text.',
      'portalProperty',
      'portalKeys',
      'portalAdministration',
    ),
    pages: supports(
      'Controls are at least 24 by 24 pixels, except for links within text.',
      'pagesAxe',
      'apiAxe',
    ),
  },
  '3.1.2': {
    widget: supports('All texts are in one language.', 'widgetLanguage'),
    portal: supports(
      'Names of languages, and English text on pages in other languages, are marked with their language.',
      'portalLanguageNames',
      'portalLanguages',
    ),
    pages: supports('Names of languages on the demo page are marked with their language.', 'pagesTree'),
  },
  '3.2.3': {
    widget: absent('The widget has no navigation.', 'markup'),
    portal: supports('The navigation has the same order on every page.', 'portalOrder'),
    pages: supports(
      'All pages share a header, and all pages of the documentation share a navigation.',
      'pagesTree',
    ),
  },
  '3.2.4': {
    widget: supports('All widgets use the same text for the same function.', 'texts'),
    portal: supports('The same functions have the same names and icons.', 'texts'),
    pages: supports('The same functions have the same names.', 'texts'),
  },
  '3.3.3': {
    widget: supports('Messages say what visitors can do.', 'widgetRetry', 'texts'),
    portal: supports('Errors say what is allowed.', 'portalErrors', 'texts'),
    pages: supports('Errors say how to continue.', 'texts'),
  },
  '3.3.4': {
    widget: absent('The widget sends nothing that is binding.', 'markup'),
    portal: supports(
      'Users confirm actions that remove something in a dialog that names the consequence.',
      'portalConfirmation',
    ),
    pages: absent('Visitors change no data.', 'markup'),
  },
  '3.3.8': {
    widget: supports(
      'The check requires no cognitive function test: the device solves the puzzle.',
      'widgetSolve',
    ),
    portal: supports(
      'Password managers can fill in passwords and codes, and users can paste them and show them.',
      'portalPurpose',
      'portalPaste',
      'portalReveal',
    ),
    pages: absent('The pages have no sign-in.', 'markup'),
  },
  '4.1.3': {
    widget: partly(
      'A live region announces each state once. In the mode `popup`, some screen readers may not announce the first text, because the region becomes visible together with it.',
      'widgetRole',
      'widgetAnnouncement',
    ),
    portal: supports(
      'Live regions announce notices, the strength of a password, the progress of a test, and copying.',
      'portalCopy',
      'portalTree',
    ),
    pages: supports(
      'Live regions announce the number of results while the reader types, and copying.',
      'pagesCount',
      'pagesTree',
    ),
  },
};
