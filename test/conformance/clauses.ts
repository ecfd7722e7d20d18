import type { ChapterId } from './catalog.ts';
import { absent, type Finding, partly, supports } from './findings.ts';

/** Clauses of EN 301 549 V3.2.1, for all components together. Clauses 9.1 to 9.4 are the success criteria of WCAG. */

const OPEN = absent(
  'The browser is not closed to assistive technology; the pages add no restrictions.',
  'markup',
);
const BROWSER = absent('The browser and the operating system are responsible.', 'markup');
const NO_SUPPORT = absent('The project has no support service.', 'documentation');

const NEEDS_SESSION = 'The only limitation is the session timeout in the portal (2.2.1).';

/** Chapter 4. The levels follow from the related success criteria. */
const PERFORMANCE: Readonly<Record<string, Finding>> = {
  '4.2.1': partly(
    `All functions have names, roles, and states for screen readers, and work with a keyboard. No person who uses a screen reader has tested them. ${NEEDS_SESSION}`,
    'widgetTree',
    'portalTree',
    'pagesTree',
    'portalSession',
  ),
  '4.2.2': partly(
    `Users can enlarge text to 400% and use forced colors, and the contrast meets level AA. ${NEEDS_SESSION}`,
    'portalEnlarged',
    'pagesEnlarged',
    'widgetZoom',
    'pictures',
    'portalSession',
  ),
  '4.2.3': supports('No information depends on color.', 'pictures'),
  '4.2.4': supports('Nothing is audible.', 'markup'),
  '4.2.5': supports('Nothing is audible.', 'markup'),
  '4.2.6': supports('Nothing is spoken.', 'markup'),
  '4.2.7': partly(
    `Users need to press only one key at a time; targets are at least 24 by 24 pixels. ${NEEDS_SESSION}`,
    'widgetKeyboard',
    'portalTab',
    'pagesTab',
    'portalSession',
  ),
  '4.2.8': absent('There is no hardware.', 'markup'),
  '4.2.9': supports('Nothing flashes.', 'markup'),
  '4.2.10': partly(
    `The check requires no cognitive function test. Forms keep their values, errors say how to continue, and the help is always in the same place. ${NEEDS_SESSION}`,
    'widgetSolve',
    'portalErrors',
    'portalOrder',
    'portalSession',
  ),
  '4.2.11': supports(
    'The widget and the pages do not detect assistive technology; passwords are hidden unless the user shows them.',
    'scripts',
    'portalReveal',
  ),
};

const CLOSED = [
  ...['5.1', '5.1.2', '5.1.2.1', '5.1.2.2', '5.1.3'],
  ...Array.from({ length: 16 }, (_, index) => `5.1.3.${index + 1}`),
  ...['5.1.4', '5.1.5', '5.1.6', '5.1.6.1', '5.1.6.2', '5.1.7'],
];

/** Chapter 5. */
const GENERIC: Readonly<Record<string, Finding>> = {
  ...Object.fromEntries(CLOSED.map((clause) => [clause, OPEN])),
  '5.2': supports(
    'The theme follows the system; the choice of theme and language, and the switch for shortcuts, are form fields that work with a keyboard.',
    'portalShortcuts',
    'portalTree',
  ),
  '5.3': absent('Biometrics are not used.', 'markup'),
  '5.4': absent('No documents are converted.', 'markup'),
  '5.5': BROWSER,
  '5.5.1': BROWSER,
  '5.5.2': BROWSER,
  '5.6': supports(
    'The state of toggles is visible and in the accessibility tree.',
    'portalReveal',
    'widgetRole',
  ),
  '5.6.1': supports('The state of toggles is in the accessibility tree.', 'portalReveal', 'widgetRole'),
  '5.6.2': supports('The state of toggles is visible.', 'portalReveal', 'pictures'),
  '5.7': BROWSER,
  '5.8': BROWSER,
  '5.9': supports('Every function is available without pressing two keys at once.', 'portalTab', 'pagesTab'),
};

/** Chapter 12. */
const DOCUMENTATION: Readonly<Record<string, Finding>> = {
  '12.1': supports('The documentation is part of each server, at `/docs`.', 'documentation'),
  '12.1.1': supports(
    'This report, the accessibility section of the widget reference, and the list of shortcuts describe these features.',
    'documentation',
  ),
  '12.1.2': supports(
    'This report covers the documentation as part of the public pages.',
    'pagesAxe',
    'pagesTree',
  ),
  '12.2': NO_SUPPORT,
  '12.2.2': NO_SUPPORT,
  '12.2.3': NO_SUPPORT,
  '12.2.4': NO_SUPPORT,
};

/** The clauses by the chapters of the catalog. */
export const CLAUSES: Readonly<Partial<Record<ChapterId, Readonly<Record<string, Finding>>>>> = {
  en_301_549_functional_performance: PERFORMANCE,
  en_301_549_generic_requirements: GENERIC,
  en_301_549_documentation_and_support_services: DOCUMENTATION,
};

/** Chapters of the catalog without findings, and the reasons. */
export const OMITTED: Readonly<Partial<Record<ChapterId, string>>> = {
  success_criteria_level_aaa: 'Level AAA has not been evaluated.',
  functional_performance_criteria: 'The report does not cover Section 508.',
  hardware: 'The report does not cover Section 508.',
  software: 'The report does not cover Section 508.',
  support_documentation_and_services: 'The report does not cover Section 508.',
  'en_301_549_ict_with_two-way_voice': 'Not applicable: there is no voice communication.',
  en_301_549_ict_with_video: 'Not applicable: there is no video.',
  en_301_549_hardware: 'Not applicable: there is no hardware.',
  en_301_549_web:
    'Clauses 9.1 to 9.4 are the success criteria of WCAG 2.1, levels A and AA; see the findings for WCAG 2.2. Clause 9.6 (conformance requirements) is met except for the criteria that are partially supported.',
  'en_301_549_non-web-documents': 'Not applicable: all documents are web pages.',
  en_301_549_software:
    'Not applicable: the components are web content. The command line is not part of the report.',
  en_301_549_ict_providing_relay_or_emergency_service_access:
    'Not applicable: there are no relay or emergency services.',
};
