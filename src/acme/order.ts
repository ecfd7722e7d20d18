import { AsyncLocalStorage } from 'node:async_hooks';
import { setTimeout as wait } from 'node:timers/promises';
import type { Authorization, Client, Order } from 'acme-client';
import { MINUTE, SECOND } from '../lib/time.ts';
import { type Certificate, type Challenges, readCertificate } from './certificate.ts';
import { AcmeFailure, describeProblem, toFailure } from './problem.ts';
import { createTransport, type Transport } from './transport.ts';

/** Time limit for an order. Shorter than a lease, so that two servers never have an order at the same time. */
const ORDER_MS = 5 * MINUTE;

/** The delay between requests for the status of an authorization or order doubles from `first` to `last`. */
const POLL_MS = { first: SECOND / 4, last: 8 * SECOND };

export type OrderOptions = {
  /** The URL of the CA's directory (RFC 8555, section 7.1.1). */
  readonly directory: string;
  /** Certificates in PEM format that are trusted instead of the public CAs. */
  readonly ca: string | undefined;
  readonly email: string;
  /** The domains of the certificate, in ASCII; at least one. */
  readonly domains: readonly string[];
  /** The account's private key in PEM format. The order creates the account if it does not exist. */
  readonly accountKey: string;
  /** Receives the responses to the challenges, which must be served on port 80 of each domain. */
  readonly challenges: Challenges;
  /** Cancels the order. */
  readonly signal: AbortSignal;
};

/** The library's HTTP client is shared by all of its instances, so the transport belongs to the asynchronous context. */
const transports = new AsyncLocalStorage<Transport>();

/** @returns a new ECDSA key (P-256) in PEM format, for an account or a certificate */
export async function createKey(): Promise<string> {
  const { crypto } = await loadLibrary();
  return (await crypto.createPrivateEcdsaKey('P-256')).toString('utf8');
}

/**
 * Obtains a certificate with HTTP-01 challenges, and agrees to the CA's terms of service. Takes up to five minutes.
 *
 * @returns a certificate with a new key that covers all domains
 * @throws AcmeFailure
 */
export async function orderCertificate(options: OrderOptions): Promise<Certificate> {
  const limit = AbortSignal.timeout(ORDER_MS);
  const signal = AbortSignal.any([options.signal, limit]);
  const transport = createTransport({ ca: options.ca, signal });
  try {
    return await transports.run(transport, () => runOrder({ ...options, signal }, transport));
  } catch (error) {
    if (options.signal.aborted) throw new AcmeFailure('interrupted', 'the server stopped during the order');
    if (limit.aborted)
      throw new AcmeFailure('timeout', `the order took longer than ${ORDER_MS / MINUTE} minutes`);
    // Any other error of the library means that a response is invalid.
    throw toFailure(error, 'invalid-response');
  } finally {
    options.challenges.clear();
  }
}

async function runOrder(options: OrderOptions, transport: Transport): Promise<Certificate> {
  const { directory, email, domains, accountKey } = options;
  const { Client, crypto } = await loadLibrary();
  const client = new Client({ directoryUrl: directory, accountKey });
  await client.createAccount({ termsOfServiceAgreed: true, contact: [`mailto:${email}`] });
  const identifiers = domains.map((value) => ({ type: 'dns', value }));
  const order = await client.createOrder({ identifiers });
  for (const authorization of await client.getAuthorizations(order))
    await authorize(client, order, authorization, options, transport);
  const poll = (isDone: (item: Order) => boolean) =>
    repeat(() => client.getOrder(order), isDone, transport, options.signal);
  const ready = await poll(({ status }) => status !== 'pending');
  requireStatus(ready, 'ready', 'valid');
  const key = await createKey();
  const [, csr] = await crypto.createCsr({ altNames: [...domains] }, key);
  await client.finalizeOrder(ready, csr);
  const valid = await poll(({ status }) => status !== 'processing' && status !== 'ready');
  requireStatus(valid, 'valid');
  return requireCoverage(readCertificate(key + (await client.getCertificate(valid))), domains);
}

/** Proves that this server controls the domain of an authorization. */
async function authorize(
  client: Client,
  order: Order,
  authorization: Authorization,
  { challenges, signal }: OrderOptions,
  transport: Transport,
): Promise<void> {
  // The CA reuses recent authorizations.
  if (authorization.status === 'valid') return;
  const domain = authorization.identifier.value;
  const challenge = authorization.challenges.find(({ type }) => type === 'http-01');
  if (challenge === undefined)
    throw new AcmeFailure('invalid-response', `${domain}: the CA offers no HTTP-01 challenge`);
  challenges.add(challenge.token, await client.getChallengeKeyAuthorization(challenge));
  await client.completeChallenge(challenge);
  const readAuthorization = async () => {
    const [found] = await client.getAuthorizations({ ...order, authorizations: [authorization.url] });
    return found ?? authorization;
  };
  const end = await repeat(readAuthorization, ({ status }) => status !== 'pending', transport, signal);
  if (end.status === 'valid') return;
  const error = end.challenges.find(({ type }) => type === 'http-01')?.error;
  const { type, detail } = describeProblem(error, `the authorization is ${end.status}`);
  throw new AcmeFailure(type, `${domain}: ${detail}`);
}

/** Requests the status until it is final. Respects the pauses that the CA asks for. */
async function repeat<Item>(
  read: () => Promise<Item>,
  isDone: (item: Item) => boolean,
  transport: Transport,
  signal: AbortSignal,
): Promise<Item> {
  for (let delay = POLL_MS.first; ; delay = Math.min(2 * delay, POLL_MS.last)) {
    const item = await read();
    if (isDone(item)) return item;
    await wait(Math.max(delay, Math.min(transport.retryAfterMs(), ORDER_MS)), undefined, { signal });
  }
}

function requireStatus(order: Order, ...allowed: readonly string[]): void {
  if (allowed.includes(order.status)) return;
  const { type, detail } = describeProblem(order.error, `the order is ${order.status}`);
  throw new AcmeFailure(type, detail);
}

function requireCoverage(certificate: Certificate, domains: readonly string[]): Certificate {
  const missing = domains.filter((domain) => !certificate.covers(domain));
  if (missing.length === 0) return certificate;
  throw new AcmeFailure('invalid-response', `the certificate is not valid for ${missing.join(', ')}`);
}

/**
 * Loads the library when the first order starts, because servers without automatic HTTPS do not need it. Replaces its HTTP client,
 * which sleeps until a rate limit ends and does not report the type of a problem.
 */
async function loadLibrary() {
  const library = await import('acme-client');
  library.axios.defaults.adapter = async (config) => {
    const transport = transports.getStore();
    if (transport === undefined) throw new Error('a request to the CA does not belong to an order');
    const headers = Object.entries(config.headers.toJSON()).map(([name, value]) => [name, String(value)]);
    const response = await transport.send({
      url: config.url ?? '',
      method: (config.method ?? 'get').toUpperCase(),
      headers: Object.fromEntries(headers),
      body: typeof config.data === 'string' ? config.data : undefined,
    });
    const { status, body } = response;
    return { data: body, status, statusText: '', headers: { ...response.headers }, config };
  };
  return library;
}
