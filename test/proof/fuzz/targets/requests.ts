import { markMatches, parseSearch } from '../../../../src/http/docs/search.ts';
import { announcedVersion, pageOf, sourceOf } from '../../../../src/http/puzzleRequest.ts';
import { createAcceptsHost, createRequestContext } from '../../../../src/http/requestContext.ts';
import { parseAddress } from '../../../../src/lib/address.ts';
import { parseCidrs } from '../../../../src/lib/parse.ts';
import {
  exactPathOf,
  hostOf,
  isHost,
  parameterOf,
  parseHostHeader,
  pathOf,
  pathStartOf,
  queryOf,
  searchOf,
  urlWithPath,
} from '../../../../src/lib/target.ts';
import { parsePagePath } from '../../../../src/model/rules/pattern.ts';
import { isFromUs } from '../../../../src/portal/kit/tokens.ts';
import { must, mustEqual, type Target } from '../engine/target.ts';
import { requestOf } from './fakeRequest.ts';

/** The target of a request, and the headers that determine the page and the client. */

const lines = (...all: readonly string[]) => all.join('\n');

const context = createRequestContext({
  newId: () => 'new',
  peerOf: () => '10.0.0.1',
  trustedProxies: parseCidrs('10.0.0.0/8') ?? [],
  clientIpHeader: 'x-forwarded-for',
});

/** Header by header: the request for a puzzle. */
const page: Target = {
  name: 'page',
  kind: 'latin1',
  seeds: [
    lines(
      '/puzzle?sitekey=0123456789abcdef0123456789abcdef&version=2&path=%2Flogin',
      'https://example.com',
      '',
      '',
      'captcha.example.org',
      '',
      '203.0.113.7',
      'id-1',
    ),
    lines(
      '/puzzle?path=/a/../b',
      '',
      'https://example.com/form?x#y',
      'same-origin',
      'example.com',
      '2',
      '2001:db8::1',
      '',
    ),
    lines(
      'http://example.com/puzzle',
      'null',
      'https://example.com/',
      '',
      'example.com',
      '1',
      '::ffff:203.0.113.7',
      ' ',
    ),
  ],
  tokens: [
    '\n',
    'same-origin',
    'cross-site',
    'https://',
    '?',
    '&',
    'path=',
    'version=',
    '#',
    '%',
    '+',
    ',',
    '::',
    '//',
    '/..',
    '[::1]',
  ],
  check(input) {
    const [url = '', origin, referer, fetchSite, host, version, client, id] = input.split('\n');
    const request = requestOf(url, {
      origin,
      referer,
      host,
      'sec-fetch-site': fetchSite,
      'x-pc-captcha-version': version,
      'x-forwarded-for': client,
      'x-request-id': id,
    });
    const found = pageOf(request);
    const sent = request.headers.get('origin');
    if (sent !== null) mustEqual(found, sent, 'the page with an origin');
    const announced = announcedVersion(request);
    must([1, 2, 3].includes(announced), 'the version');
    const { addressOf, clientOf, explainAddress, idOf, uncachedIdOf } = context;
    const isOwn = isFromUs(request, 'https://captcha.example.com');
    if (fetchSite === 'cross-site') must(!isOwn, 'a request of another origin');
    const source = sourceOf(request, context);
    const path = source.path();
    if (path !== undefined) must(!/[?#]/.test(path), `a path with a query: ${path}`);
    const address = addressOf(request);
    must(address !== undefined && parseAddress(address) !== undefined, `not an address: ${address}`);
    mustEqual(explainAddress(request).address, address, 'the explained address');
    must(/^[\w.:-]{1,128}$/.test(idOf(request)), 'the id of the request');
    mustEqual(uncachedIdOf(request), idOf(request), 'the id of the request');
    return { found, isOwn, path, address, client: clientOf(request), header: source.header('origin') };
  },
};

const target: Target = {
  name: 'target',
  kind: 'latin1',
  seeds: [
    '/puzzle?sitekey=abc&x=1#y',
    'http://example.com/a/b/?q=%41+b',
    '/',
    '//example.com/x',
    'http://h',
    '*',
    '/a?x',
    'https://[::1]:80/portal/?page=2',
    '/?%73itekey=1&sitekey=2',
    // Found a fault: only the first question mark starts the query.
    '/a??sitekey=1',
    '/a?path=/b?sitekey=1&sitekey=2',
  ],
  tokens: ['?', '#', '&', '=', '/', '//', 'http://', 'https://', 'sitekey=', '%', '%2F', '+', '..'],
  check(input) {
    const request = requestOf(input, {});
    const [path, search, query] = [exactPathOf(request), searchOf(request), queryOf(request)];
    must(!/[?#]/.test(path), `a path with a query: ${path}`);
    must(search === '' || search.startsWith('?'), `a query without a question mark: ${search}`);
    must(path.length + search.length <= input.length + 1, 'the parts are longer than the target');
    if (pathStartOf(input) >= 0) must(path.startsWith('/'), `a path without a slash: ${path}`);
    const parameter = parameterOf(request, 'sitekey');
    if (parameter !== undefined) {
      must(
        query.getAll('sitekey').includes(parameter),
        `a parameter that the query does not have: ${parameter}`,
      );
    }
    const shorter = pathOf(request);
    must(shorter === path || `${shorter}/` === path, 'the path without a slash at its end');
    const internal = requestOf(urlWithPath(request, '/x'), {});
    mustEqual(searchOf(internal), search, 'the query of the URL for the router');
    return { path, search, parameter, page: parsePagePath(input) };
  },
};

const acceptsHost = createAcceptsHost('https://captcha.example.com', ['captcha.lan', '[2001:db8::1]']);

const host: Target = {
  name: 'host',
  kind: 'latin1',
  seeds: [
    'captcha.example.com',
    'CAPTCHA.lan:8080',
    '[2001:DB8:0::1]:443',
    'localhost.',
    '127.0.0.1:65535',
    'a.localhost',
    '[::1]',
  ],
  tokens: [':', '[', ']', '.', '::', '65536', '@', 'localhost', '%', '/', '127.'],
  maxLength: 400,
  check(input) {
    const request = requestOf('/', { host: input });
    const sent = request.headers.get('host');
    const parsed = parseHostHeader(sent);
    mustEqual(hostOf(request), parsed, 'the host of the request');
    if (parsed === undefined)
      must(sent === null || sent.length > 300 || !isHost(sent), 'whether it is a host');
    else {
      must(/^(?:[a-z0-9_.-]*|\[[0-9a-f:.]+\])$/.test(parsed), `not a host: ${parsed}`);
      if (!/\.$|^$/.test(parsed)) mustEqual(parseHostHeader(parsed), parsed, 'the same host again');
    }
    const accepts = acceptsHost(sent);
    must(!accepts || /^captcha\.|localhost$|^127\.|^\[/.test(parsed ?? ''), `accepted: ${parsed}`);
    return { parsed, accepts };
  },
};

const search: Target = {
  name: 'search',
  kind: 'text',
  seeds: ['puzzle', 'Reverse  proxy nginx', 'a b c d e f g h i j', '(.*) [x]', '\u0130 i'],
  tokens: [' ', '.', '*', '(', '[', '\\', '\u0130', '\u00df'],
  maxLength: 120,
  check(input) {
    const query = parseSearch(input);
    if (!('words' in query)) return query;
    must(query.words.length <= 10, 'too many words');
    const parts = markMatches(`The puzzle is (.*) ${input}`, new Set(query.words));
    mustEqual(parts.map(({ text }) => text).join(''), `The puzzle is (.*) ${input}`, 'the text of all parts');
    return parts;
  },
};

export const REQUEST_TARGETS: readonly Target[] = [page, target, host, search];
