import { expect, test } from 'bun:test';
import { parsePageHost } from '../../src/captcha/origin.ts';
import { parseAddress, parseCidr } from '../../src/lib/address.ts';
import { bytesFromBase64 } from '../../src/lib/bytes.ts';
import { instantFromIso } from '../../src/lib/time.ts';
import { parseApiKey } from '../../src/model/apiKey.ts';
import { parseDomain } from '../../src/model/domain.ts';
import { parseEmail } from '../../src/model/email.ts';
import { parseName } from '../../src/model/name.ts';
import { parseSitekey } from '../../src/model/property.ts';
import { parsePayload } from '../../src/puzzle/solution.ts';

// Regression: 200 KB of colons kept `parseDomain` busy for hours. Anything slower than linear exceeds the test's timeout.
const PARSERS = {
  parsePageHost,
  parseAddress,
  parseCidr,
  bytesFromBase64,
  instantFromIso,
  parseEmail,
  parseApiKey,
  parseDomain,
  parseName: (text: string) => parseName('property', text),
  parseSitekey,
  parsePayload,
};

const UNITS = [
  ':',
  '.',
  'a',
  'a.',
  '=',
  'A',
  '-',
  '[',
  'https://',
  '0',
  ' ',
  '%',
  '@',
  'é',
  '。',
  'xn--',
  '\u0301',
  '1:',
];

test.each(Object.entries(PARSERS))('%s handles very long texts', (_, parse) => {
  for (const unit of UNITS) {
    const long = unit.repeat(200_000 / unit.length);
    for (const text of [long, `${long}!`, `!${long}`, `https://${long}`, `a@${long}`]) {
      expect(() => parse(text)).not.toThrow();
    }
  }
});
