import type { BackendClient } from '../client.ts';
import { backends } from './drivers.ts';

/** PHP applications from Debian. Their backends verify the tokens of forms that the test sends. */

/** Serves a folder with PHP, and keeps the cookies of a visitor. */
const PHP = `
  import { spawn, execFileSync } from 'node:child_process';
  import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
  const folder = mkdtempSync(process.env.HOME + '/php-');
  const settings = ['-d', 'openssl.cafile=' + process.env.SSL_CERT_FILE, '-d', 'curl.cainfo=' + process.env.SSL_CERT_FILE];
  const port = 10000 + Math.floor(Math.random() * 20000);
  const site = 'http://127.0.0.1:' + port;
  async function servePhp(root, env = {}) {
    const child = spawn('php', [...settings, '-S', '127.0.0.1:' + port, '-t', root], { env: { ...process.env, ...env }, stdio: 'ignore' });
    process.on('exit', () => child.kill());
    for (let tries = 0; tries < 200; tries++) {
      if (await fetch(site + '/favicon.ico').then(() => true, () => false)) return;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
  const cookies = new Map();
  async function send(path, fields) {
    const headers = { Cookie: [...cookies].map(([name, value]) => name + '=' + value).join('; ') };
    const init = fields === undefined ? { headers } : { headers, method: 'POST', body: new URLSearchParams(fields) };
    const response = await fetch(site + path, { ...init, redirect: 'manual' });
    for (const cookie of response.headers.getSetCookie()) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(cookie);
      cookies.set(name, value);
    }
    return response;
  }`;

/** The login of phpMyAdmin fails after the check, because there is no database; its messages differ. */
const phpMyAdmin = (vendor: 'reCAPTCHA' | 'hCaptcha' | 'Turnstile', settings: readonly string[]) => {
  const [script, verification, request, response] = settings;
  return backends(vendor, [
    {
      package: 'phpMyAdmin',
      version: '',
      variant: vendor,
      debian: ['phpmyadmin', 'dbconfig-no-thanks'],
      route: 'setting',
      configuration: '`CaptchaApi`, `CaptchaSiteVerifyURL`, `CaptchaRequestParam`, `CaptchaResponseParam`',
      code: `${PHP}
  const configuration = {
    CaptchaMethod: 'checkbox', CaptchaApi: url + '${script}', CaptchaSiteVerifyURL: url + '${verification}',
    CaptchaRequestParam: '${request}', CaptchaResponseParam: '${response}',
    CaptchaLoginPublicKey: sitekey, CaptchaLoginPrivateKey: secret, TempDir: folder,
  };
  const lines = Object.entries(configuration).map(([name, value]) => '$cfg[\\'' + name + '\\'] = \\'' + value + '\\';');
  mkdirSync(folder + '/conf.d');
  writeFileSync(folder + '/conf.d/test.php', '<?php\\n$cfg["blowfish_secret"] = str_repeat("x", 32);\\n' + lines.join('\\n'));
  // Only in the mount namespace of this test.
  execFileSync('mount', ['--bind', folder + '/conf.d', '/etc/phpmyadmin/conf.d']);
  await servePhp('/usr/share/phpmyadmin');
  const valueOf = (html, name) => new RegExp('name="' + name + '" value="([^"]*)"').exec(html)?.[1] ?? '';
  async function verify(token) {
    const page = await (await send('/index.php')).text();
    if (!page.includes(url + '${script}') || !page.includes('class="${request}"')) throw new Error('no widget in the page');
    const fields = { set_session: valueOf(page, 'set_session'), token: valueOf(page, 'token'), server: '1' };
    const login = { pma_username: 'ann', pma_password: 'secret', '${response}': token };
    const html = await (await send('/index.php?route=/', { ...fields, ...login })).text();
    if (/Entered captcha is wrong/.test(html)) return false;
    if (/Cannot log in to the MySQL server|mysqli/.test(html)) return true;
    throw new Error(html.replace(/<[^>]*>/g, ' ').slice(0, 2000));
  }`,
    },
  ]);
};

/** Creates accounts in MediaWiki. */
const mediaWiki = (vendor: 'reCAPTCHA' | 'hCaptcha', module: string, prefix: string) =>
  backends(vendor, [
    {
      package: 'MediaWiki',
      version: '',
      variant: `ConfirmEdit with ${vendor}`,
      debian: ['mediawiki', 'php-sqlite3'],
      route: 'host',
      code: `${PHP}
  const install = ['--dbtype', 'sqlite', '--dbpath', folder, '--dbname', 'wiki', '--confpath', folder, '--server', site,
    '--scriptpath', '', '--pass', 'a long pass phrase', 'Wiki', 'Admin'];
  execFileSync('php', ['/usr/share/mediawiki/maintenance/install.php', ...install], { stdio: 'ignore' });
  const more = [
    'wfLoadExtensions(["ConfirmEdit", "ConfirmEdit/${module}"]);',
    '$wg${prefix}SiteKey = "' + sitekey + '";', '$wg${prefix}SecretKey = "' + secret + '";',
    '$wgCaptchaTriggers["createaccount"] = true;', '$wgHTTPTimeout = 20;',
  ];
  writeFileSync(folder + '/LocalSettings.php', '\\n' + more.join('\\n'), { flag: 'a' });
  await servePhp('/usr/share/mediawiki', { MW_CONFIG_FILE: folder + '/LocalSettings.php' });
  let users = 0;
  async function verify(token) {
    const query = '/api.php?action=query&meta=tokens&type=createaccount&format=json';
    const { createaccounttoken } = (await (await send(query)).json()).query.tokens;
    const fields = { username: 'Ann' + users++, password: 'a long pass phrase', retype: 'a long pass phrase' };
    const rest = { createreturnurl: site, createtoken: createaccounttoken, captchaWord: token };
    const { createaccount, error } = await (await send('/api.php?action=createaccount&format=json', { ...fields, ...rest })).json();
    if (createaccount?.status === 'PASS') return true;
    if (/captcha|check/i.test(createaccount?.messagecode ?? '')) return false;
    throw new Error(JSON.stringify(createaccount ?? error));
  }`,
    },
  ]);

export const DEBIAN: readonly BackendClient[] = [
  ...phpMyAdmin('reCAPTCHA', [
    '/recaptcha/api.js',
    '/recaptcha/api/siteverify',
    'g-recaptcha',
    'g-recaptcha-response',
  ]),
  ...phpMyAdmin('hCaptcha', ['/1/api.js', '/hcaptcha/siteverify', 'h-captcha', 'h-captcha-response']),
  ...phpMyAdmin('Turnstile', [
    '/turnstile/v0/api.js',
    '/turnstile/v0/siteverify',
    'cf-turnstile',
    'cf-turnstile-response',
  ]),
  ...mediaWiki('reCAPTCHA', 'ReCaptchaNoCaptcha', 'ReCaptcha'),
  ...mediaWiki('hCaptcha', 'hCaptcha', 'HCaptcha'),
];
