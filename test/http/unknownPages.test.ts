import { describe } from 'bun:test';
import { useServer } from '../support/useServer.ts';
import { runScenarios } from './scenario.ts';

const server = useServer({ settings: { POSTERN_SWAGGER: 'off' } });

const BROWSER = { Accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' };
const HTML = {
  'Content-Type': 'text/html; charset=utf-8',
  'Cache-Control': 'no-store',
  'Content-Security-Policy': /default-src 'none'/,
};
const JSON_ENVELOPE = { 'Content-Type': /application\/json/ };

describe('a path that does not exist', () => {
  runScenarios(server, [
    {
      title: 'is a page for browsers, with links to the parts of the server that are on',
      ask: { path: '/nothing/here', headers: BROWSER },
      status: 404,
      headers: HTML,
      has: ['Page not found', 'href="/portal"', 'href="/docs"'],
      hasNot: [/href="\/(demo|swagger)"/, /<script>/],
    },
    {
      title: 'does not repeat the path',
      ask: { path: '/%3Cscript%3Ealert(1)%3C/script%3E', headers: BROWSER },
      status: 404,
      hasNot: ['alert(1)'],
    },
    {
      title: 'has no body for HEAD',
      ask: { path: '/nothing', method: 'HEAD', headers: BROWSER },
      status: 404,
      headers: HTML,
    },
    ...['*/*', 'application/json', 'application/json, text/html;q=0', 'text/htmlx', 'text/html;q=0.000'].map(
      (accept) => ({
        title: `is an envelope for clients that accept ${accept}`,
        ask: { path: '/nothing', headers: { Accept: accept } },
        status: 404,
        headers: JSON_ENVELOPE,
        json: { meta: { code: 1002 } },
      }),
    ),
    {
      title: 'is an envelope for a form that a browser sends',
      ask: { path: '/nothing', method: 'POST', headers: BROWSER, body: 'a=b' },
      status: 404,
      headers: JSON_ENVELOPE,
    },
  ]);
});

describe('a path that only programs use', () => {
  runScenarios(server, [
    {
      title: 'is a page for browsers that names the methods',
      ask: { path: '/verify', headers: BROWSER },
      status: 405,
      headers: { ...HTML, Allow: 'POST' },
      has: ['This address is part of the API', 'POST', 'href="/docs/reference/api"'],
    },
    {
      title: 'is an envelope for other clients',
      ask: { path: '/verify' },
      status: 405,
      headers: { ...JSON_ENVELOPE, Allow: 'POST' },
    },
  ]);
});
