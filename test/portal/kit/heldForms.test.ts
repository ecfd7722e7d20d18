import { describe, expect, test } from 'bun:test';
import { systemRandom } from '../../../src/lib/ids.ts';
import type { Instant } from '../../../src/lib/time.ts';
import type { AccountId } from '../../../src/model/account.ts';
import { createSeal } from '../../../src/platform/opaqueId.ts';
import { createHeldForms, HELD_FIELD, HOLD_MS } from '../../../src/portal/kit/heldForms.ts';
import { createMemoryUsedForms } from '../../../src/storage/memory.ts';

const KEY = new Uint8Array(32).fill(7);
const FORM = {
  accountId: 5 as AccountId,
  route: '/portal/orgs/:org/settings',
  params: { org: 'AAAAAAAAAAAAAAAAAAAAAA' },
  address: '/portal/orgs/AAAAAAAAAAAAAAAAAAAAAA/settings',
  fields: 'name=Acme+%26+Co',
};

let ids = 0;

function createForms(isClustered = false, clock = { now: 1_000_000 as Instant }, key = KEY) {
  const newToken = () => String(++ids).padStart(32, '0');
  const seal = createSeal(key, systemRandom);
  const forms = createHeldForms({
    seal,
    usedForms: createMemoryUsedForms(),
    isClustered,
    newToken,
    clock: () => clock.now,
  });
  return { ...forms, clock };
}

function held(forms: ReturnType<typeof createForms>, form: Partial<typeof FORM> = {}): string {
  const text = forms.hold({ ...FORM, ...form });
  if (text === undefined) throw new Error('the form is not held');
  return text;
}

describe('a held form', () => {
  test('is returned with its path and its fields', () => {
    const forms = createForms();
    expect(forms.open(held(forms))).toMatchObject(FORM);
  });

  test('is encrypted with the key of the installation', () => {
    const forms = createForms();
    const text = held(forms);
    for (const encoding of ['base64url', 'base64', 'latin1', 'utf8'] as const)
      expect(Buffer.from(text, encoding).toString('latin1')).not.toMatch(/Acme|settings/);
    const stranger = createForms(false, forms.clock, new Uint8Array(32).fill(8));
    expect(stranger.open(text)).toBeUndefined();
  });

  test.each([
    ['is empty', () => ''],
    ['is too short for a nonce and a tag', () => 'AAAA'],
    ['is no base64url', () => '%%%'],
    ['was shortened', (text: string) => text.slice(0, -4)],
    ['was extended', (text: string) => `${text}AAAA`],
    ['was altered', (text: string) => `${text.slice(0, 40)}${text[40] === 'A' ? 'B' : 'A'}${text.slice(41)}`],
  ])('is not returned if its text %s', (_, altered) => {
    const forms = createForms();
    expect(forms.open(altered(held(forms)))).toBeUndefined();
  });

  test('expires after 15 minutes', () => {
    const forms = createForms();
    const text = held(forms);
    forms.clock.now = (forms.clock.now + HOLD_MS - 1) as Instant;
    expect(forms.open(text)).toMatchObject(FORM);
    forms.clock.now = (forms.clock.now + 1) as Instant;
    expect(forms.open(text)).toBeUndefined();
  });

  test.each(['password=secret', 'a=b&current=secret', 'code=123456', 'new_password=secret'])(
    'is not created from a form with a password or a code: %s',
    (fields) => {
      expect(createForms().hold({ ...FORM, fields })).toBeUndefined();
    },
  );

  test('is created from a form whose fields only look similar', () => {
    expect(createForms().hold({ ...FORM, fields: 'concurrent=1&currents=2' })).toBeDefined();
  });

  test('is in a hidden field with a name that no page uses otherwise', () => {
    expect(HELD_FIELD).toBe('held_form');
  });

  test('fits into another form, or is not created', () => {
    const forms = createForms();
    const sizeOf = (length: number) => forms.hold({ ...FORM, fields: `a=${'x'.repeat(length)}` })?.length;
    // A form of the portal has at most 64 KiB.
    expect(sizeOf(40 * 1024 - 2)).toBeLessThan(60 * 1024);
    expect(sizeOf(40 * 1024 - 1)).toBeUndefined();
  });
});

describe('a claim', () => {
  test('is the first one only once, even if several arrive at the same time', async () => {
    const forms = createForms();
    const form = forms.open(held(forms));
    if (form === undefined) throw new Error('the form is unknown');
    const claims = await Promise.all([forms.claim(form), forms.claim(form), forms.claim(form)]);
    expect(claims.toSorted()).toEqual(['first', 'repeated', 'repeated']);
  });

  test('of each held form is independent', async () => {
    const forms = createForms();
    for (const text of [held(forms), held(forms)]) {
      const form = forms.open(text);
      expect(form && (await forms.claim(form))).toBe('first');
    }
  });

  test('is unknown on a single server that restarted, because it has forgotten earlier claims', async () => {
    const before = createForms();
    const text = held(before);
    const clock = { now: (before.clock.now + 1) as Instant };
    const [restarted, clustered] = [createForms(false, clock), createForms(true, clock)];
    const form = restarted.open(text);
    if (form === undefined) throw new Error('the form is unknown');
    expect(await restarted.claim(form)).toBe('unknown');
    // The nodes of a cluster keep claims in the database.
    expect(await clustered.claim(form)).toBe('first');
  });
});
