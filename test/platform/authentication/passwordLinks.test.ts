import { describe, expect, test } from 'bun:test';
import { done, reject } from '../../../src/lib/outcome.ts';
import { DAY, later, SECOND } from '../../../src/lib/time.ts';
import type { AccountId } from '../../../src/model/account.ts';
import { COMMAND_LINE, INSTALLATION, portalActor } from '../../../src/model/actor.ts';
import { createPasswordLinks } from '../../../src/platform/authentication/passwordLinks.ts';
import { expectOk } from '../../support/server.ts';
import { openUseCases } from '../useCases.ts';
import { CLIENT_INFO } from './openAuthentication.ts';

const NEW = 'another good one';

/** The links of an installation with one user, whose hashes are the passwords. */
async function open(password: string | undefined = 'old') {
  const services = openUseCases();
  const { stores, time, users, audit, derive } = services;
  const create = async (email: string, isAdmin: boolean) =>
    expectOk(await users.create(INSTALLATION, { email, name: undefined, isAdmin, password: undefined }));
  const [user, admin] = [await create('ann@example.com', false), await create('admin@example.com', true)];
  if (password !== undefined) await stores.accounts.setPasswordHash(user.id, password);
  const hashes = { isBusy: false, onHash: async () => {} };
  const links = createPasswordLinks({
    credentials: stores.credentials,
    passwords: {
      async hash(text) {
        await hashes.onHash();
        return hashes.isBusy ? reject('passwords-busy') : done(text);
      },
    },
    checkNewPassword: async (text) => (text.length < 8 ? reject('password-too-short') : done(text)),
    audit,
    clock: () => time.now,
    sign: derive,
  });
  const issue = (id: AccountId = user.id) => links.issue(portalActor(admin, undefined), id);
  const hash = async () => (await stores.credentials.byEmail(user.email))?.passwordHash;
  return { ...services, links, user, admin, issue, hash, hashes };
}

const UNKNOWN = { ok: false, problem: 'password-link-unknown' } as const;

describe('a password link', () => {
  test.each([
    ['a user with a password', 'old'],
    ['a new user', undefined],
  ] as const)('sets the password of %s once', async (_, before) => {
    const { links, issue, user, hash } = await open(before);
    const token = expectOk(await issue());
    expect(await links.open(token)).toEqual(user);
    expect(await links.use(token, NEW, CLIENT_INFO)).toEqual({ ok: true, value: user });
    expect(await hash()).toBe(NEW);
    expect(await links.open(token)).toBeUndefined();
    expect(await links.use(token, 'yet another one', CLIENT_INFO)).toEqual(UNKNOWN);
    expect(await hash()).toBe(NEW);
  });

  test('is valid for three days', async () => {
    const { links, issue, user, time } = await open();
    const token = expectOk(await issue());
    time.now = later(time.now, 3 * DAY - SECOND);
    expect(await links.open(token)).toEqual(user);
    time.now = later(time.now, SECOND);
    expect(await links.open(token)).toBeUndefined();
  });

  test('is invalid if its user, its expiry, or its signature was altered, or if it has more characters', async () => {
    const { links, issue, admin } = await open();
    const [id = '', until = '', mac = ''] = expectOk(await issue()).split('.');
    const more = (Number.parseInt(until, 36) + 1).toString(36);
    const texts = [
      `${admin.id.toString(36)}.${until}.${mac}`,
      `zzzzzz.${until}.${mac}`,
      `${id}.${more}.${mac}`,
      `${id}.${until}.${'A'.repeat(43)}`,
      `x${id}.${until}.${mac}`,
      ` ${id}.${until}.${mac}`,
      `${id}.${until}.${mac}x`,
      `${id}.${until}.${mac} `,
      `${id}.${until}.`,
      `${id}.${until}`,
      '',
    ];
    for (const text of texts) {
      expect(await links.open(text)).toBeUndefined();
      expect(await links.use(text, NEW, CLIENT_INFO)).toEqual(UNKNOWN);
    }
  });

  test('ends with any other change of the password', async () => {
    const { links, issue, stores, user } = await open();
    const token = expectOk(await issue());
    await stores.accounts.setPasswordHash(user.id, 'changed');
    expect(await links.open(token)).toBeUndefined();
  });

  test('does not work while the user is disabled', async () => {
    const { links, issue, users, user } = await open();
    const token = expectOk(await issue());
    expectOk(await users.disable(COMMAND_LINE, user.id));
    expect(await links.open(token)).toBeUndefined();
    expectOk(await users.enable(COMMAND_LINE, user.id));
    expect(await links.open(token)).toMatchObject({ id: user.id });
  });

  test('remains valid if the new password is rejected, or cannot be hashed now', async () => {
    const { links, issue, hash, hashes } = await open();
    const token = expectOk(await issue());
    expect(await links.use(token, 'short', CLIENT_INFO)).toEqual({
      ok: false,
      problem: 'password-too-short',
    });
    hashes.isBusy = true;
    expect(await links.use(token, NEW, CLIENT_INFO)).toEqual({ ok: false, problem: 'passwords-busy' });
    expect(await hash()).toBe('old');
    hashes.isBusy = false;
    expectOk(await links.use(token, NEW, CLIENT_INFO));
  });

  test('changes nothing if the password changes at the same time', async () => {
    const { links, issue, hash, hashes, stores, user } = await open();
    const token = expectOk(await issue());
    hashes.onHash = () => stores.accounts.setPasswordHash(user.id, 'chosen meanwhile');
    expect(await links.use(token, NEW, CLIENT_INFO)).toEqual(UNKNOWN);
    expect(await hash()).toBe('chosen meanwhile');
  });

  test('cannot be created for a user who does not exist', async () => {
    const { issue } = await open();
    expect(await issue((2 ** 40) as AccountId)).toEqual({ ok: false, problem: 'account-unknown' });
  });
});
