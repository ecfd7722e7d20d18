import { addPageData, toUrlSafe } from '../../src/puzzle/solution.ts';
import { solveCap } from '../support/capSolver.ts';
import {
  type Altcha2,
  encodeAltcha,
  fetchAltcha,
  fetchCap,
  postJson,
  solveAltcha1,
  solveAltcha2,
} from '../support/dialects.ts';
import { addTenant, startServer } from '../support/server.ts';
import { fetchAndSolve, verify } from '../support/visitor.ts';
import type { TokenKind, Vendor } from './client.ts';
import { HTTPS_HOST } from './network.ts';

/** The server for all clients, with one property. */
export type Postern = {
  /** With HTTP. */
  readonly url: string;
  readonly settings: Readonly<Record<'url' | 'https' | 'secret' | 'sitekey' | 'offlineSecret', string>>;
  /** Replaces HOST, HTTPS, KEY, and SECRET in a text. */
  readonly fill: (text: string) => string;
  /** Solves a challenge without a browser. @returns the value of the form's field */
  readonly solve: (kind: TokenKind) => Promise<string>;
  /** Verifies a token as the vendor's backend does. @returns whether it was accepted */
  readonly verify: (vendor: Vendor, token: string) => Promise<boolean>;
  /** @throws unless the token is accepted once, and only once */
  readonly expectOnce: (vendor: Vendor, token: string) => Promise<void>;
  readonly stop: () => Promise<void>;
};

const LEVEL = 64;

export async function startPostern(): Promise<Postern> {
  const server = await startServer();
  const { property, verifyKey: secret } = await addTenant(server, { level: LEVEL, allowsLocalhost: true });
  // The same host as the pages.
  const url = server.url.replace('127.0.0.1', 'localhost');
  const sitekey: string = property.sitekey;
  const offlineSecret = server.app.services.offlineSecretOf(property.sitekey, 0);
  const settings = { url, https: `https://${HTTPS_HOST}`, secret, sitekey, offlineSecret };
  const check = (vendor: Vendor, token: string) => verifyAs(vendor, token, settings);
  return {
    url,
    settings,
    fill: (text) =>
      text.replaceAll(/\b(HOST|HTTPS|KEY|SECRET)\b/g, (name) => PLACEHOLDERS[name]?.(settings) ?? name),
    solve: (kind) => SOLVE[kind](url, sitekey),
    verify: check,
    async expectOnce(vendor, token) {
      if (!(await check(vendor, token))) throw new Error(`Postern rejects the token ${token.slice(0, 60)}`);
      if (await check(vendor, token)) throw new Error('Postern accepts the token twice');
    },
    stop: server.stop,
  };
}

const PLACEHOLDERS: Readonly<Record<string, (settings: Postern['settings']) => string>> = {
  HOST: ({ url }) => url,
  HTTPS: ({ https }) => https,
  KEY: ({ sitekey }) => sitekey,
  SECRET: ({ secret }) => secret,
};

/** Solves as the page's widget does. */
const SOLVE: Readonly<Record<TokenKind, (url: string, sitekey: string) => Promise<string>>> = {
  postern: (url, sitekey) => fetchAndSolve(url, sitekey),
  page: async (url, sitekey) => toUrlSafe(await fetchAndSolve(url, sitekey)),
  v3: async (url, sitekey) => toUrlSafe(addPageData(await fetchAndSolve(url, sitekey), { action: 'login' })),
  async altcha(url, sitekey) {
    const payload = await SOLVE['altcha-1'](url, sitekey);
    const response = await postJson(`${url}/altcha/v1/verify`, { payload });
    return String(response.payload);
  },
  'altcha-1': async (url, sitekey) => encodeAltcha(solveAltcha1(await fetchAltcha(url, sitekey))),
  'altcha-2': async (url, sitekey) =>
    encodeAltcha(solveAltcha2(await fetchAltcha<Altcha2>(url, sitekey, '&version=2'))),
  async cap(url, sitekey) {
    const challenge = await fetchCap(url, sitekey);
    const body = { token: challenge.token, solutions: solveCap(challenge) };
    const { token } = await postJson(`${url}/cap/${sitekey}/redeem`, body);
    return String(token);
  },
};

const FORMS: Partial<Record<Vendor, string>> = {
  reCAPTCHA: '/recaptcha/api/siteverify',
  hCaptcha: '/hcaptcha/siteverify',
  Turnstile: '/turnstile/v0/siteverify',
};

/** Verifies at the path of the vendor. */
async function verifyAs(vendor: Vendor, token: string, settings: Postern['settings']): Promise<boolean> {
  const { url, secret, sitekey } = settings;
  if (vendor === 'ALTCHA') {
    const request = { payload: token, secret, apiKey: sitekey };
    return (await postJson(`${url}/v1/verify/signature`, request)).verified === true;
  }
  if (vendor === 'Cap') {
    const request = { secret, response: token };
    return (await postJson(`${url}/cap/${sitekey}/siteverify`, request)).success === true;
  }
  const path = FORMS[vendor];
  if (path === undefined) return (await verify(url, secret, token)).success;
  const body = new URLSearchParams({ secret, response: token, sitekey });
  const response = await fetch(url + path, { method: 'POST', body });
  return ((await response.json()) as { readonly success: boolean }).success;
}
