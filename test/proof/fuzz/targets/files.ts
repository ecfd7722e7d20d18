import { readCertificate } from '../../../../src/acme/certificate.ts';
import { describeProblem } from '../../../../src/acme/problem.ts';
import { formatState, parseState } from '../../../../src/acme/state.ts';
import { openGeoipDatabase } from '../../../../src/geoip/geoipFile.ts';
import type { Instant } from '../../../../src/lib/time.ts';
import { CERTIFICATE, PRIVATE_KEY } from '../../../cli/certificates.ts';
import { createGeoipFile } from '../../../support/geoipFile.ts';
import { fromBytes, JSON_PUNCTUATION, must, mustEqual, type Target } from '../engine/target.ts';

/** Files that an operator provides, except backups, and responses of other servers. */

const NETWORKS = {
  '192.0.2.0/24': { country: { iso_code: 'DE', names: { en: 'Germany' } } },
  '198.51.100.0/24': { country: 'AT', asn: 'AS64496' },
  '2001:db8::/32': { autonomous_system_number: 4_200_000_000 },
};
const MARKER = '\xab\xcd\xefMaxMind.com';
const ADDRESSES = ['192.0.2.1', '198.51.100.7', '10.0.0.1', '2001:db8::1', '::1'];
const CLEAR = /^the file is (?:damaged: .|not (?:a )?complete)/;

/** Calls a function whose errors identify the file as the problem. */
function orDamaged<T>(work: () => T): T | string {
  try {
    return work();
  } catch (error) {
    must(error instanceof Error && CLEAR.test(error.message), `an unclear error: ${String(error)}`);
    return error.message;
  }
}

const geoip: Target = {
  name: 'geoip',
  kind: 'bytes',
  seeds: [
    createGeoipFile({ '192.0.2.0/28': { country_code: 'FR' } }, { ipVersion: 4 }),
    createGeoipFile(NETWORKS),
    createGeoipFile({ '::/1': { registered_country: { iso_code: 'XK' } }, '8000::/1': 5 }),
  ].map(fromBytes),
  tokens: [
    MARKER,
    '\x1f\x04\xff\xff\xff',
    '\xff\xff\xff\xff',
    '\x5f\xff\xff\xff',
    '\x20\x00',
    '\x09\x04',
    '\x1f',
    'Jnode_count',
    'Krecord_size',
    'Jip_version',
    'Mdatabase_type',
    'Kbuild_epoch',
    'country',
    'iso_code',
  ],
  maxLength: 6000,
  share: 0.2,
  check(input) {
    const database = orDamaged(() => openGeoipDatabase(Buffer.from(input, 'latin1')));
    if (typeof database === 'string') return database;
    const found = ADDRESSES.map((address) => orDamaged(() => database.find(address)));
    for (const facts of found) {
      if (typeof facts === 'string') continue;
      must(facts.country === undefined || /^[A-Z]{2}$/.test(facts.country), `a country: ${facts.country}`);
      must(facts.asn === undefined || typeof facts.asn === 'number', `an ASN: ${facts.asn}`);
    }
    // The cache of records must not change what is found.
    mustEqual(
      ADDRESSES.map((address) => orDamaged(() => database.find(address))),
      found,
      'the second lookup',
    );
    return [database.type, database.builtAt, found];
  },
};

const certificate: Target = {
  name: 'certificate',
  kind: 'latin1',
  seeds: [CERTIFICATE + PRIVATE_KEY, PRIVATE_KEY + CERTIFICATE + CERTIFICATE],
  tokens: [
    '-----BEGIN ',
    '-----END ',
    'CERTIFICATE-----',
    'PRIVATE KEY-----',
    'EC ',
    'RSA ',
    '\n',
    'MII',
    '==',
  ],
  share: 0.05,
  check(input) {
    try {
      const { key, chain, notBefore, notAfter, fraction } = readCertificate(input);
      must(input.includes(key.trim()), 'a key that the file does not contain');
      must(fraction >= 0 && fraction < 1 && notBefore < notAfter, 'the fraction or the times');
      return [key, chain];
    } catch (error) {
      // The only documented result for an invalid file.
      must(error instanceof Error && error.message !== '', `an unclear error: ${String(error)}`);
      return error.message;
    }
  },
};

const NOW = 1_800_000_000_000 as Instant;
const STATE = {
  domains: ['example.com'],
  failures: 2,
  attemptedAt: NOW,
  nextAttemptAt: (NOW + 1000) as Instant,
  problem: 'x',
  detail: 'y',
};

const acme: Target = {
  name: 'acme',
  kind: 'text',
  seeds: [
    formatState(STATE),
    formatState({ ...STATE, attemptedAt: (NOW + 1e9) as Instant, nextAttemptAt: (NOW + 2e9) as Instant }),
    '{"type":"urn:ietf:params:acme:error:dns","detail":"x\\n","subproblems":[{"detail":"y","identifier":{"value":"z"}},null]}',
  ],
  tokens: [
    ...JSON_PUNCTUATION,
    'null',
    '"detail":',
    '"subproblems":',
    '"identifier":{"value":',
    '"failures":',
    '1e400',
    '\\u0007',
  ],
  check(input) {
    const state = parseState(input, NOW);
    if (state !== undefined) {
      const text = formatState(state);
      mustEqual(formatState(parseState(text, NOW) ?? STATE), text, 'the written state');
    }
    let value: unknown;
    try {
      value = JSON.parse(input);
    } catch {
      // The client also describes a response without a JSON document.
    }
    const { type, detail } = describeProblem(value, 'fallback');
    must(type.length <= 500 && !/\p{Cc}/u.test(type), 'the type of a problem');
    return { state, type, detail };
  },
};

export const FILE_TARGETS: readonly Target[] = [geoip, certificate, acme];
