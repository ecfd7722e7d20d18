import type { ErrorName } from './result.ts';

/** A vendor's documented test secrets. Postern accepts them only while the test property is on. */
export type TestKeys = {
  /** Replaces the page's host in responses. */
  readonly hostname: string;
  /** For each secret, a function that returns the error for a response (the form's token); undefined if it is accepted. */
  readonly secrets: Readonly<Record<string, (response: string) => ErrorName | undefined>>;
};

/** Accepts every response (https://developers.google.com/recaptcha/docs/faq). */
export const RECAPTCHA_TEST_KEYS: TestKeys = {
  hostname: 'testkey.google.com',
  secrets: { '6LeIxAcTAAAAAGG-vFI1TnRWxMZNFuojJ4WifJWe': () => undefined },
};

/** The token of hCaptcha's test sitekey (https://docs.hcaptcha.com/#integration-testing-test-keys). */
const HCAPTCHA_TOKEN = '10000000-aaaa-bbbb-cccc-000000000001';

export const HCAPTCHA_TEST_KEYS: TestKeys = {
  hostname: 'dummy-key-pass',
  secrets: {
    '0x0000000000000000000000000000000000000000': (response) =>
      response === HCAPTCHA_TOKEN ? undefined : 'solution-bad-format',
  },
};

/** The token of Turnstile's test sitekeys (https://developers.cloudflare.com/turnstile/troubleshooting/testing/). */
const TURNSTILE_TOKEN = 'XXXX.DUMMY.TOKEN.XXXX';

/** The first secret accepts the token, the second rejects it, the third reports it as already used. All reject other tokens. */
export const TURNSTILE_TEST_KEYS: TestKeys = {
  hostname: 'example.com',
  secrets: {
    '1x0000000000000000000000000000000AA': onlyDummyToken(undefined),
    '2x0000000000000000000000000000000AA': onlyDummyToken('solution-invalid'),
    '3x0000000000000000000000000000000AA': onlyDummyToken('solution-verified-before'),
  },
};

/** @param error for the token; undefined accepts it */
function onlyDummyToken(error: ErrorName | undefined) {
  return (response: string) => (response === TURNSTILE_TOKEN ? error : 'invalid-input-secret');
}
