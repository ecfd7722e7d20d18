import type { ErrorName } from './result.ts';

/** A vendor's documented secrets for tests. Postern accepts them only while the test property is on. */
export type TestKeys = {
  /** In responses, instead of the page's host. */
  readonly hostname: string;
  /** For each secret: the error for a response (the form's token); undefined accepts it. */
  readonly secrets: Readonly<Record<string, (response: string) => ErrorName | undefined>>;
};

/** Every response passes (https://developers.google.com/recaptcha/docs/faq). */
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

/** The secrets accept the token, reject it, and report that it was spent. They do not accept other tokens. */
export const TURNSTILE_TEST_KEYS: TestKeys = {
  hostname: 'example.com',
  secrets: {
    '1x0000000000000000000000000000000AA': onlyDummy(undefined),
    '2x0000000000000000000000000000000AA': onlyDummy('solution-invalid'),
    '3x0000000000000000000000000000000AA': onlyDummy('solution-verified-before'),
  },
};

function onlyDummy(error: ErrorName | undefined) {
  return (response: string) => (response === TURNSTILE_TOKEN ? error : 'invalid-input-secret');
}
