/**
 * The chapters and criteria of VPAT 2.5, International edition, which OpenACR calls `2.5-edition-wcag-2.2-508-eu-en`. The npm
 * package of OpenACR has only older editions. Sources: WCAG 2.2, and EN 301 549 V3.2.1.
 */

export const CATALOG = '2.5-edition-wcag-2.2-508-eu-en';

type Names = Readonly<Record<string, string>>;

type Chapter = {
  readonly label: string;
  /** The names of the criteria by their numbers, in order. Missing in chapters that the report omits. */
  readonly criteria?: Names;
};

// biome-ignore format: a table is easier to read with several criteria per line
const LEVEL_A: readonly string[] = [
  '1.1.1 Non-text Content', '1.2.1 Audio-only and Video-only (Prerecorded)', '1.2.2 Captions (Prerecorded)',
  '1.2.3 Audio Description or Media Alternative (Prerecorded)', '1.3.1 Info and Relationships',
  '1.3.2 Meaningful Sequence', '1.3.3 Sensory Characteristics', '1.4.1 Use of Color', '1.4.2 Audio Control',
  '2.1.1 Keyboard', '2.1.2 No Keyboard Trap', '2.1.4 Character Key Shortcuts', '2.2.1 Timing Adjustable',
  '2.2.2 Pause, Stop, Hide', '2.3.1 Three Flashes or Below Threshold', '2.4.1 Bypass Blocks', '2.4.2 Page Titled',
  '2.4.3 Focus Order', '2.4.4 Link Purpose (In Context)', '2.5.1 Pointer Gestures', '2.5.2 Pointer Cancellation',
  '2.5.3 Label in Name', '2.5.4 Motion Actuation', '3.1.1 Language of Page', '3.2.1 On Focus', '3.2.2 On Input',
  '3.2.6 Consistent Help', '3.3.1 Error Identification', '3.3.2 Labels or Instructions', '3.3.7 Redundant Entry',
  '4.1.1 Parsing', '4.1.2 Name, Role, Value',
];

// biome-ignore format: a table is easier to read with several criteria per line
const LEVEL_AA: readonly string[] = [
  '1.2.4 Captions (Live)', '1.2.5 Audio Description (Prerecorded)', '1.3.4 Orientation', '1.3.5 Identify Input Purpose',
  '1.4.3 Contrast (Minimum)', '1.4.4 Resize text', '1.4.5 Images of Text', '1.4.10 Reflow', '1.4.11 Non-text Contrast',
  '1.4.12 Text Spacing', '1.4.13 Content on Hover or Focus', '2.4.5 Multiple Ways', '2.4.6 Headings and Labels',
  '2.4.7 Focus Visible', '2.4.11 Focus Not Obscured (Minimum)', '2.5.7 Dragging Movements',
  '2.5.8 Target Size (Minimum)', '3.1.2 Language of Parts', '3.2.3 Consistent Navigation',
  '3.2.4 Consistent Identification', '3.3.3 Error Suggestion',
  '3.3.4 Error Prevention (Legal, Financial, Data)', '3.3.8 Accessible Authentication (Minimum)',
  '4.1.3 Status Messages',
];

// biome-ignore format: a table is easier to read with several clauses per line
const PERFORMANCE: readonly string[] = [
  '4.2.1 Usage without vision', '4.2.2 Usage with limited vision', '4.2.3 Usage without perception of color',
  '4.2.4 Usage without hearing', '4.2.5 Usage with limited hearing',
  '4.2.6 Usage with no or limited vocal capability', '4.2.7 Usage with limited manipulation or strength',
  '4.2.8 Usage with limited reach', '4.2.9 Minimize photosensitive seizure triggers',
  '4.2.10 Usage with limited cognition, language or learning', '4.2.11 Privacy',
];

// biome-ignore format: a table is easier to read with several clauses per line
const GENERIC: readonly string[] = [
  '5.1 Closed functionality', '5.1.2 General', '5.1.2.1 Closed functionality', '5.1.2.2 Assistive technology',
  '5.1.3 Non-visual access', '5.1.3.1 Audio output of visual information',
  '5.1.3.2 Auditory output delivery including speech', '5.1.3.3 Auditory output correlation',
  '5.1.3.4 Speech output user control', '5.1.3.5 Speech output automatic interruption',
  '5.1.3.6 Speech output for non-text content', '5.1.3.7 Speech output for video information',
  '5.1.3.8 Masked entry', '5.1.3.9 Private access to personal data', '5.1.3.10 Non-interfering audio output',
  '5.1.3.11 Private listening volume', '5.1.3.12 Speaker volume', '5.1.3.13 Volume reset',
  '5.1.3.14 Spoken languages', '5.1.3.15 Non-visual error identification',
  '5.1.3.16 Receipts, tickets, and transactional outputs', '5.1.4 Functionality closed to text enlargement',
  '5.1.5 Visual output for auditory information', '5.1.6 Operation without keyboard interface',
  '5.1.6.1 Closed functionality', '5.1.6.2 Input focus', '5.1.7 Access without speech',
  '5.2 Activation of accessibility features', '5.3 Biometrics',
  '5.4 Preservation of accessibility information during conversion', '5.5 Operable parts',
  '5.5.1 Means of operation', '5.5.2 Operable parts discernibility', '5.6 Locking or toggle controls',
  '5.6.1 Tactile or auditory status', '5.6.2 Visual status', '5.7 Key repeat', '5.8 Double-strike key acceptance',
  '5.9 Simultaneous user actions',
];

// biome-ignore format: a table is easier to read with several clauses per line
const DOCUMENTATION: readonly string[] = [
  '12.1 Product documentation', '12.1.1 Accessibility and compatibility features', '12.1.2 Accessible documentation',
  '12.2 Support services', '12.2.2 Information on accessibility and compatibility features',
  '12.2.3 Effective communication', '12.2.4 Accessible documentation',
];

function namesOf(lines: readonly string[]): Names {
  return Object.fromEntries(
    lines.map((line) => {
      const [number = ''] = line.split(' ');
      return [number, line.slice(number.length + 1)];
    }),
  );
}

/** The chapters by their ids in the catalog. */
export const CHAPTERS = {
  success_criteria_level_a: { label: 'WCAG 2.2, level A', criteria: namesOf(LEVEL_A) },
  success_criteria_level_aa: { label: 'WCAG 2.2, level AA', criteria: namesOf(LEVEL_AA) },
  success_criteria_level_aaa: { label: 'WCAG 2.2, level AAA' },
  functional_performance_criteria: { label: 'Section 508, chapter 3: functional performance criteria' },
  hardware: { label: 'Section 508, chapter 4: hardware' },
  software: { label: 'Section 508, chapter 5: software' },
  support_documentation_and_services: { label: 'Section 508, chapter 6: support documentation and services' },
  en_301_549_functional_performance: {
    label: 'EN 301 549, chapter 4: functional performance',
    criteria: namesOf(PERFORMANCE),
  },
  en_301_549_generic_requirements: {
    label: 'EN 301 549, chapter 5: generic requirements',
    criteria: namesOf(GENERIC),
  },
  'en_301_549_ict_with_two-way_voice': { label: 'EN 301 549, chapter 6: two-way voice communication' },
  en_301_549_ict_with_video: { label: 'EN 301 549, chapter 7: video' },
  en_301_549_hardware: { label: 'EN 301 549, chapter 8: hardware' },
  en_301_549_web: { label: 'EN 301 549, chapter 9: web' },
  'en_301_549_non-web-documents': { label: 'EN 301 549, chapter 10: non-web documents' },
  en_301_549_software: { label: 'EN 301 549, chapter 11: software' },
  en_301_549_documentation_and_support_services: {
    label: 'EN 301 549, chapter 12: documentation and support services',
    criteria: namesOf(DOCUMENTATION),
  },
  en_301_549_ict_providing_relay_or_emergency_service_access: {
    label: 'EN 301 549, chapter 13: relay and emergency services',
  },
} as const satisfies Readonly<Record<string, Chapter>>;

export type ChapterId = keyof typeof CHAPTERS;

/** @returns the names of the criteria of a chapter, by their numbers; empty if the report omits the chapter */
export function criteriaOf(chapter: ChapterId): Names {
  const { criteria = {} }: Chapter = CHAPTERS[chapter];
  return criteria;
}

/** The chapters whose criteria have a finding for each component. */
export const WCAG_CHAPTERS = ['success_criteria_level_a', 'success_criteria_level_aa'] as const;
