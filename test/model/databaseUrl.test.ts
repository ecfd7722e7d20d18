import { describe, expect, test } from 'bun:test';
import { type DatabaseUrl, parseDatabaseUrl } from '../../src/model/databaseUrl.ts';

const LOCAL: DatabaseUrl = {
  hosts: [{ host: '127.0.0.1', port: 5432 }],
  user: 'postern',
  password: undefined,
  database: 'captcha',
  isEncrypted: false,
};

describe('a database URL', () => {
  test.each<[string, Partial<DatabaseUrl>]>([
    ['postgres://postern@127.0.0.1/captcha', {}],
    ['postgresql://postern@127.0.0.1:5432/captcha', {}],
    ['postgres://postern@localhost/captcha', { hosts: [{ host: 'localhost', port: 5432 }] }],
    ['postgres://postern@[::1]:5433/captcha', { hosts: [{ host: '[::1]', port: 5433 }] }],
    ['postgres://postern:p%40ss%3Aword@127.0.0.1/captcha', { password: 'p@ss:word' }],
    ['postgres://postern@%2Frun%2Fpostgresql/captcha', { hosts: [{ host: '/run/postgresql', port: 5432 }] }],
    ['postgres://postern@127.0.0.1/captcha?sslmode=verify-full', { isEncrypted: true }],
    ['postgres://postern@db/captcha', { hosts: [{ host: 'db', port: 5432 }], isEncrypted: true }],
    ['postgres://postern@db/captcha?sslmode=disable', { hosts: [{ host: 'db', port: 5432 }] }],
    [
      'postgres://postern@a:1,b,[2001:db8::1]:3/captcha',
      {
        hosts: [
          { host: 'a', port: 1 },
          { host: 'b', port: 5432 },
          { host: '[2001:db8::1]', port: 3 },
        ],
        isEncrypted: true,
      },
    ],
    [
      'postgres://postern@127.0.0.1,db/captcha',
      {
        hosts: [
          { host: '127.0.0.1', port: 5432 },
          { host: 'db', port: 5432 },
        ],
        isEncrypted: true,
      },
    ],
  ])('%s is parsed', (text, expected) => {
    expect(parseDatabaseUrl(text)).toEqual({ ...LOCAL, ...expected });
  });

  test.each([
    '',
    'postgres://',
    'mysql://postern@db/captcha',
    'postgres://db/captcha',
    'postgres://@db/captcha',
    'postgres://postern@db',
    'postgres://postern@db/',
    'postgres://postern@/captcha',
    'postgres://postern@a,/captcha',
    'postgres://postern@db:0/captcha',
    'postgres://postern@db:65536/captcha',
    'postgres://postern@db:x/captcha',
    'postgres://postern:@db/captcha',
    'postgres://postern:a:b@db/captcha',
    'postgres://post%00ern@db/captcha',
    'postgres://post%ern@db/captcha',
    'postgres://postern@db/captcha?sslmode=require',
    'postgres://postern@db/captcha?sslmode=disable&sslmode=verify-full',
    'postgres://postern@db/captcha?application_name=x',
    'postgres://postern@db/captcha#x',
    ' postgres://postern@db/captcha',
    `postgres://postern@${Array(11).fill('db').join(',')}/captcha`,
  ])('%s is rejected', (text) => {
    expect(parseDatabaseUrl(text)).toBeUndefined();
  });

  test('longer than 2,000 characters is rejected', () => {
    expect(parseDatabaseUrl(`postgres://postern@db/${'x'.repeat(1978)}`)).toBeDefined();
    expect(parseDatabaseUrl(`postgres://postern@db/${'x'.repeat(1979)}`)).toBeUndefined();
  });
});
