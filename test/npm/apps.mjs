/** One application for each framework, in Node. Prints their URLs. Each responds with what its handler sees. */
import { createServer } from 'node:http';
import { Readable } from 'node:stream';
import * as server from '@postern/server';
import { captcha as elysiaCaptcha } from '@postern/server/elysia';
import { captcha as expressCaptcha } from '@postern/server/express';
import { captcha as fastifyCaptcha, formParser } from '@postern/server/fastify';
import { captcha as honoCaptcha } from '@postern/server/hono';
import { captcha as koaCaptcha } from '@postern/server/koa';
import { withCaptcha, withCaptchaAction } from '@postern/server/next';
import { Elysia } from 'elysia';
import express from 'express';
import fastify from 'fastify';
import { Hono } from 'hono';
import Koa from 'koa';

const options = { ...JSON.parse(process.argv[2]), maxBodyBytes: 10_000 };
const custom = (rejection) => new Response(`custom ${rejection.status}`, { status: 422 });
const urls = {};

async function listen(name, handler) {
  const listening = createServer(handler);
  await new Promise((resolve) => listening.listen(0, '127.0.0.1', resolve));
  urls[name] = `http://127.0.0.1:${listening.address().port}/`;
}

/** Serves a function of `Request` and `Response`. */
const serve = (name, respond) =>
  listen(name, async (incoming, outgoing) => {
    const { method, headers } = incoming;
    const body = Readable.toWeb(incoming);
    const response = await respond(
      new Request('http://localhost/', { method, headers, body, duplex: 'half' }),
    );
    outgoing.writeHead(response.status, Object.fromEntries(response.headers));
    outgoing.end(await response.text());
  });

const expressApp = express();
const seen = (request, response) =>
  response.json({ email: request.body.email, outcome: request.captcha.outcome });
expressApp.post('/', expressCaptcha(options), seen);
expressApp.use((error, _request, response, _next) =>
  response.status(error.status ?? 500).send(error.message),
);
await listen('Express', expressApp);

const unlimited = express();
const { maxBodyBytes: _, ...defaults } = options;
unlimited.post('/', expressCaptcha(defaults), seen);
await listen('Express with the default limit', unlimited);

const parsing = express();
parsing.post('/', express.urlencoded({ extended: false }), express.json(), expressCaptcha(options), seen);
parsing.use((error, _request, response, _next) => response.status(error.status ?? 500).send(error.message));
await listen('Express with parsers', parsing);

const customized = express();
const onRejected = (rejection, _request, response) => response.status(422).send(`custom ${rejection.status}`);
customized.post('/', expressCaptcha({ ...options, onRejected }), seen);
await listen('Express with onRejected', customized);

const koa = new Koa();
koa.silent = true;
koa.use(koaCaptcha(options));
koa.use((context) => {
  context.body = { email: context.request.body.email, outcome: context.state.captcha.outcome };
});
await listen('Koa', koa.callback());

const fastifyApp = fastify({ bodyLimit: options.maxBodyBytes });
fastifyApp.register(formParser);
fastifyApp.post('/', { preHandler: fastifyCaptcha(options) }, async (request) => ({
  email: request.body.email,
  outcome: request.captcha.outcome,
}));
urls.Fastify = await fastifyApp.listen({ port: 0, host: '127.0.0.1' });

const fieldsOf = async (request) =>
  request.headers.get('content-type').startsWith('application/json')
    ? request.json()
    : Object.fromEntries(await request.formData());
const respond = async (request) =>
  Response.json({ email: (await fieldsOf(request)).email, outcome: 'accepted' });

const hono = new Hono();
hono.post('/', honoCaptcha(options), ({ req }) => respond(req.raw));
await serve('Hono', (request) => hono.fetch(request));

const elysia = new Elysia().post('/', ({ body }) => ({ email: body.email, outcome: 'accepted' }), {
  beforeHandle: elysiaCaptcha(options),
});
await serve('Elysia', (request) => elysia.handle(request));

await serve('Next.js route handler', withCaptcha(respond, options));
await serve(
  'Next.js route handler with onRejected',
  withCaptcha(respond, { ...options, onRejected: custom }),
);

const action = withCaptchaAction(
  async (_state, form) => ({ status: 200, email: form.get('email'), outcome: 'accepted' }),
  { ...options, onRejected: ({ status }) => ({ status }) },
);
await serve('Next.js server action', async (request) => {
  const { status, ...result } = await action({}, await request.formData());
  return Response.json(result, { status });
});

const failing = { ...options, server: 'http://127.0.0.1:9', retries: 0 };
await serve('undecided', withCaptcha(respond, failing));
await serve('undecided, failing open', withCaptcha(respond, { ...failing, failOpen: true }));

await serve('verify', async (request) => {
  const changed = JSON.parse(request.headers.get('x-options'));
  const verdict = await server
    .verify(await request.text(), { ...options, ...changed })
    .catch((error) => ({ error: String(error) }));
  return Response.json(verdict);
});

process.stdout.write(`${JSON.stringify(urls)}\n`);
