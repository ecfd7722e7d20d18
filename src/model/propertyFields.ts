import { parseDomain } from './domain.ts';
import { booleanField, choiceField, numberField, textField, type ValuesOf } from './field.ts';
import { parseName } from './name.ts';

/** The settings of a property, in the order in which they are checked. */
export const SETTING_FIELDS = {
  level: numberField(
    {
      name: 'level',
      label: 'Level',
      help: 'Base difficulty of the puzzles. An increase of 8 doubles the work.',
      isWhole: true,
      min: 1,
      max: 255,
      default: 128,
    },
    'level-malformed',
  ),
  growth: choiceField(
    {
      name: 'growth',
      label: 'Growth',
      help: 'How fast the difficulty rises for a visitor who requests many puzzles, and slightly for all visitors under load.',
      choices: ['constant', 'slow', 'medium', 'fast'],
      default: 'medium',
    },
    'growth-unknown',
  ),
  challenge: choiceField(
    {
      name: 'challenge',
      label: 'Kind of work',
      help: 'What the browser computes. Graphics cards have less of an advantage with HashWX, which runs random programs, and with argon2id, which needs memory and difficulty 152 or more. Widgets that cannot solve these puzzles get BLAKE2b puzzles.',
      choices: ['blake2b', 'argon2id', 'hashwx'],
      default: 'blake2b',
    },
    'challenge-unknown',
  ),
  validitySeconds: numberField(
    {
      name: 'validity_seconds',
      label: 'Validity in seconds',
      help: 'How long a puzzle and its solution are valid. The widget replaces an expired puzzle.',
      isWhole: true,
      min: 60,
      max: 172_800,
      default: 1800,
    },
    'validity-malformed',
  ),
  allowsSubdomains: booleanField(
    {
      name: 'allow_subdomains',
      label: 'Allow subdomains',
      help: 'Whether the widget also works on subdomains, such as www.example.com for the domain example.com.',
      default: false,
    },
    'allow-subdomains-malformed',
  ),
  allowsLocalhost: booleanField(
    {
      name: 'allow_localhost',
      label: 'Allow localhost',
      help: 'Whether the widget also works on localhost, *.localhost, 127.0.0.1, and [::1], for development.',
      default: false,
    },
    'allow-localhost-malformed',
  ),
  allowance: numberField(
    {
      name: 'max_replay_count',
      label: 'Verifications of one solution',
      help: 'How many times one solution is accepted while it is valid.',
      isWhole: true,
      min: 1,
      max: 1_000_000,
      default: 1,
    },
    'allowance-malformed',
  ),
  isEnabled: booleanField(
    {
      name: 'enabled',
      label: 'Enabled',
      help: 'Whether the property is enabled. A disabled property issues no puzzles, and its solutions are rejected.',
      default: true,
    },
    'enabled-malformed',
  ),
} as const;

/** All fields of a new property. */
export const PROPERTY_FIELDS = {
  name: textField(
    {
      name: 'name',
      label: 'Name',
      help: 'Up to 128 characters, without control characters or angle brackets. Visitors do not see it.',
      missing: 'property-name-empty',
    },
    (text) => parseName('property', text),
  ),
  domain: textField(
    {
      name: 'domain',
      label: 'Domain',
      help: 'Host name of the pages with the widget, such as example.com, without a scheme, port, or path. It must resolve in DNS, unless `POSTERN_DNS_CHECK` is `off`.',
      missing: 'domain-empty',
    },
    parseDomain,
  ),
  ...SETTING_FIELDS,
} as const;

type PropertyField = (typeof PROPERTY_FIELDS)[keyof typeof PROPERTY_FIELDS];

/** The problems that the fields of a property can have. */
export type PropertyFieldProblem = Exclude<
  Extract<ReturnType<PropertyField['parse']>, { ok: false }>['problem'],
  'field-mistyped'
>;

export type PropertySettings = Required<ValuesOf<typeof SETTING_FIELDS>>;

/** How fast the difficulty rises under load. */
export type Growth = PropertySettings['growth'];

/** The kind of work that a property's puzzles require. */
export type Challenge = PropertySettings['challenge'];

/** The settings of a property that is created without settings. */
export const DEFAULT_SETTINGS = Object.fromEntries(
  Object.entries(SETTING_FIELDS).map(([key, field]) => [key, field.default]),
) as PropertySettings;
