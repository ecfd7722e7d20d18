import { done, type Outcome, reject } from '../lib/outcome.ts';
import {
  KEEP_OLD_SECONDS,
  KEY_RATE_MAX,
  KEY_RATE_MIN,
  type KeepOld,
  type KeyRate,
  SCOPES,
} from './apiKey.ts';
import { choiceField, numberField, textField } from './field.ts';
import { parseName } from './name.ts';

/** The fields of an API key that its owner sets. */
export const API_KEY_FIELDS = {
  name: textField(
    {
      name: 'name',
      label: 'Name',
      help: 'Describes where the key is used. Up to 128 characters.',
      missing: 'key-name-empty',
    },
    (text) => parseName('key', text),
  ),
  scope: choiceField(
    {
      name: 'scope',
      label: 'Scope',
      help: 'A backend needs a key for Captcha verification. Programs that manage organizations and properties need a key for Portal operations.',
      choices: SCOPES,
    },
    'scope-unknown',
  ),
  rate: numberField(
    {
      name: 'rate',
      label: 'Requests per second',
      help: "The key's own rate limit. Without one, the configured limit applies.",
      isWhole: false,
      min: KEY_RATE_MIN,
      max: KEY_RATE_MAX,
    },
    'key-rate-malformed',
  ),
  burst: numberField(
    {
      name: 'burst',
      label: 'Burst',
      help: 'How many requests the key can send at once. Without a value, the configured limit applies.',
      isWhole: true,
      min: 1,
      max: KEY_RATE_MAX,
    },
    'key-burst-malformed',
  ),
} as const;

/** How long a rotated key keeps its old secret, in seconds; optional. */
export const KEEP_OLD_FIELD = {
  kind: 'choice',
  name: 'keep_old_seconds',
  help: 'The number of seconds for which the old secret keeps working. Default: 86400.',
  choices: Object.values(KEEP_OLD_SECONDS),
  parse(value: unknown): Outcome<KeepOld, 'keep-old-malformed'> {
    const names = Object.keys(KEEP_OLD_SECONDS) as KeepOld[];
    const found = names.find((name) => KEEP_OLD_SECONDS[name] === value);
    return found === undefined ? reject('keep-old-malformed') : done(found);
  },
} as const;

/** @returns the rate and burst unchanged, each undefined if the configured limit applies */
export function parseKeyRate({
  rate,
  burst,
}: Partial<KeyRate>): Outcome<KeyRate, 'key-rate-malformed' | 'key-burst-malformed'> {
  const parsedRate = rate === undefined ? done(rate) : API_KEY_FIELDS.rate.parse(rate);
  if (!parsedRate.ok) return parsedRate;
  const parsedBurst = burst === undefined ? done(burst) : API_KEY_FIELDS.burst.parse(burst);
  return parsedBurst.ok ? done({ rate, burst }) : parsedBurst;
}
