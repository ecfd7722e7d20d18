import type { Client } from '../client.ts';
import { backends } from './drivers.ts';

/** Libraries for backends. */

const RECAPTCHA = backends('reCAPTCHA', [
  {
    package: 'recaptcha2',
    version: '1.3.3',
    route: 'setting',
    configuration: '`apiEndpoint`',
    code: `
      import Recaptcha2 from 'recaptcha2';
      const recaptcha = new Recaptcha2({ siteKey: sitekey, secretKey: secret });
      recaptcha.apiEndpoint = url + '/recaptcha/api/siteverify';
      const verify = (token) => recaptcha.validate(token, '203.0.113.1').then(() => true, () => false);`,
  },
  ...(['V2', 'V3'] as const).map((version) => ({
    package: 'express-recaptcha',
    version: '5.1.0',
    variant: version.toLowerCase(),
    route: 'host' as const,
    token: version === 'V2' ? ('page' as const) : ('v3' as const),
    code: `
      import express from 'express';
      import recaptchas from 'express-recaptcha';
      const recaptcha = new recaptchas.Recaptcha${version}(sitekey, secret, { checkremoteip: true });
      const app = express();
      app.post('/', express.urlencoded({ extended: false }), recaptcha.middleware.verify, (request, response) => {
        response.sendStatus(request.recaptcha.error ? 403 : 200);
      });
      const verify = (token) => submit(app, { 'g-recaptcha-response': token });`,
  })),
  {
    package: 'google-recaptcha',
    version: '1.1.0',
    route: 'host',
    code: `
      import GoogleRecaptcha from 'google-recaptcha';
      const recaptcha = new GoogleRecaptcha({ secret });
      const verify = (response) =>
        new Promise((resolve) => recaptcha.verify({ response }, (error, body) => resolve(!error && body.success)));`,
  },
  {
    package: 'grecaptcha',
    version: '1.0.3',
    route: 'host',
    code: `
      import Grecaptcha from 'grecaptcha';
      const client = new (Grecaptcha.default ?? Grecaptcha)(secret);
      const verify = (token) => client.verify(token).catch(() => false);`,
  },
  {
    package: 'recaptcha-node',
    version: '0.2.0',
    route: 'setting',
    configuration: '`hostname`',
    code: `
      import recaptchas from 'recaptcha-node';
      const recaptcha = new recaptchas.RecaptchaV2(secret, { hostname: https.replace('https://', '') });
      const verify = (token) => recaptcha.verify(token).then(({ success }) => success, () => false);`,
  },
  {
    package: 'node-grecaptcha-verify',
    version: '2.0.1',
    route: 'setting',
    configuration: '`GOOGLE_RECAPTCHA_V3_VERIFY_API_URL`',
    token: 'v3',
    code: `
      import recaptchas from 'node-grecaptcha-verify';
      process.env.GOOGLE_RECAPTCHA_V3_VERIFY_API_URL = https + '/recaptcha/api/siteverify';
      const recaptcha = new recaptchas.ReCAPTCHA(secret, 0.5);
      const verify = (token) => recaptcha.verify(token, 'login').then(({ isHuman }) => isHuman);`,
  },
  {
    package: 'recaptcha-validator',
    version: '2.0.0',
    route: 'host',
    code: `
      import validate from 'recaptcha-validator';
      const verify = (token) => validate(secret, token, '203.0.113.1').then(() => true, () => false);`,
  },
  {
    package: 'recaptcha-verify',
    version: '0.1.1',
    route: 'host',
    code: `
      import Recaptcha from 'recaptcha-verify';
      const recaptcha = new Recaptcha({ secret });
      const verify = (token) =>
        new Promise((resolve) => recaptcha.checkResponse(token, (error, body) => resolve(!error && body.success)));`,
  },
  {
    package: 'simple-recaptcha-new',
    version: '1.1.1',
    route: 'host',
    code: `
      import check from 'simple-recaptcha-new';
      const verify = (token) =>
        new Promise((resolve) => check(secret, '203.0.113.1', token, (error) => resolve(error === null)));`,
  },
  {
    package: 'fastify-recaptcha',
    version: '1.0.0',
    group: 'node-old',
    route: 'host',
    token: 'v3',
    code: `
      import fastify from 'fastify';
      import plugins from 'fastify-recaptcha';
      const app = fastify();
      app.addContentTypeParser('application/x-www-form-urlencoded', { parseAs: 'string' }, (request, body, done) => {
        done(null, Object.fromEntries(new URLSearchParams(body)));
      });
      app.register(plugins.default ?? plugins, { recaptcha_secret_key: secret, reply: true, hostname: 'example.com' });
      app.post('/', async () => 'welcome');
      await app.ready();
      const verify = (token) => submit((request, response) => app.routing(request, response), { 'g-recaptcha-response': token });`,
  },
  {
    package: '@nestlab/google-recaptcha',
    version: '3.11.3',
    needs: {
      '@nestjs/common': '11.1.24',
      '@nestjs/core': '11.1.24',
      'reflect-metadata': '0.2.2',
      rxjs: '7.8.2',
      axios: '1.12.2',
    },
    route: 'setting',
    configuration: '`network`',
    code: `
      import 'reflect-metadata';
      import { NestFactory } from '@nestjs/core';
      import nest from '@nestlab/google-recaptcha';
      const module = nest.GoogleRecaptchaModule.forRoot({
        secretKey: secret,
        response: (request) => request.body.recaptcha,
        network: url + '/recaptcha/api/siteverify',
      });
      const app = await NestFactory.createApplicationContext(module, { logger: false });
      const validator = app.get(nest.GoogleRecaptchaValidator);
      const verify = (response) => validator.validate({ response }).then(({ success }) => success);`,
  },
  {
    package: 'google/recaptcha (PHP)',
    version: '',
    language: 'php',
    debian: ['php-google-recaptcha', 'php-cli'],
    route: 'setting',
    configuration: '`new RequestMethod\\Post($url)`',
    code: `
      require '/usr/share/php/ReCaptcha/autoload.php';
      function verify($token) {
        $post = new ReCaptcha\\RequestMethod\\Post(getenv('POSTERN_URL') . '/recaptcha/api/siteverify');
        $recaptcha = new ReCaptcha\\ReCaptcha(getenv('POSTERN_SECRET'), $post);
        return $recaptcha->setExpectedHostname('example.com')->verify($token, '203.0.113.1')->isSuccess();
      }`,
  },
  {
    package: 'google/recaptcha (PHP)',
    version: '',
    variant: 'v3',
    language: 'php',
    debian: ['php-google-recaptcha', 'php-cli'],
    route: 'setting',
    configuration: '`new RequestMethod\\Post($url)`',
    token: 'v3',
    code: `
      require '/usr/share/php/ReCaptcha/autoload.php';
      function verify($token) {
        $post = new ReCaptcha\\RequestMethod\\Post(getenv('POSTERN_URL') . '/recaptcha/api/siteverify');
        $recaptcha = new ReCaptcha\\ReCaptcha(getenv('POSTERN_SECRET'), $post);
        return $recaptcha->setExpectedAction('login')->setScoreThreshold(0.5)->verify($token)->isSuccess();
      }`,
  },
  {
    package: 'google/recaptcha (PHP)',
    version: '',
    variant: 'with its default request method',
    language: 'php',
    debian: ['php-google-recaptcha', 'php-cli'],
    route: 'host',
    code: `
      require '/usr/share/php/ReCaptcha/autoload.php';
      function verify($token) {
        return (new ReCaptcha\\ReCaptcha(getenv('POSTERN_SECRET')))->verify($token, '203.0.113.1')->isSuccess();
      }`,
  },
  {
    package: 'google/recaptcha (PHP)',
    version: '',
    variant: 'with SocketPost',
    limit: 'The class accepts only HTTP/1.0 responses. Use `Post` or `CurlPost`.',
    language: 'php',
    debian: ['php-google-recaptcha', 'php-cli'],
    route: 'host',
    code: `
      require '/usr/share/php/ReCaptcha/autoload.php';
      function verify($token) {
        $method = new ReCaptcha\\RequestMethod\\SocketPost();
        return (new ReCaptcha\\ReCaptcha(getenv('POSTERN_SECRET'), $method))->verify($token)->isSuccess();
      }`,
  },
  {
    package: 'Flask-WTF (Python)',
    version: '',
    language: 'python',
    debian: ['python3-flaskext.wtf'],
    route: 'setting',
    configuration: '`RECAPTCHA_VERIFY_SERVER`',
    code: `
from flask import Flask
from flask_wtf import FlaskForm, RecaptchaField
app = Flask(__name__)
app.config.update(SECRET_KEY="test", WTF_CSRF_ENABLED=False, RECAPTCHA_PUBLIC_KEY=sitekey, RECAPTCHA_PRIVATE_KEY=secret,
                  RECAPTCHA_VERIFY_SERVER=url + "/recaptcha/api/siteverify")
class SignUpForm(FlaskForm):
    recaptcha = RecaptchaField()
def verify(token):
    with app.test_request_context(method="POST", data={"g-recaptcha-response": token}):
        return SignUpForm().validate_on_submit()`,
  },
  {
    package: 'recaptcha (Ruby)',
    version: '',
    language: 'ruby',
    debian: ['ruby-recaptcha', 'ruby'],
    route: 'setting',
    configuration: '`verify_url`',
    code: `
require 'recaptcha'
Recaptcha.configure do |config|
  config.secret_key = ENV['POSTERN_SECRET']
  config.site_key = ENV['POSTERN_SITEKEY']
  config.verify_url = ENV['POSTERN_HTTPS'] + '/recaptcha/api/siteverify'
end
class Form
  include Recaptcha::Verify
  attr_reader :params
  def initialize(token) = @params = { 'g-recaptcha-response' => token }
  def request = Struct.new(:remote_ip).new('203.0.113.1')
  def env = {}
  def flash = {}
end
def verify(token)
  Form.new(token).verify_recaptcha(env: 'production')
end`,
  },
  {
    package: 'Captcha::reCAPTCHA (Perl)',
    version: '',
    language: 'perl',
    debian: ['libcaptcha-recaptcha-perl'],
    route: 'host',
    code: `
use Captcha::reCAPTCHA;
sub verify {
  my ($token) = @_;
  return Captcha::reCAPTCHA->new->check_answer_v2($secret, $token, '203.0.113.1')->{is_valid};
}`,
  },
  {
    package: 'dpapathanasiou/go-recaptcha (Go)',
    version: '',
    language: 'go',
    debian: ['golang-github-dpapathanasiou-go-recaptcha-dev', 'golang-go'],
    route: 'host',
    code: `
import "github.com/dpapathanasiou/go-recaptcha"
func init() { recaptcha.Init(os.Getenv("POSTERN_SECRET")) }
func verify(token string) bool {
	accepted, _ := recaptcha.Confirm("203.0.113.1", token)
	return accepted
}`,
  },
]);

/** The plugins for Cloudflare Pages are one function each. */
const pagesPlugin = (name: string, version: string, field: string, more: string) => ({
  package: name,
  version,
  route: 'host' as const,
  code: `
    import plugin from '${name}';
    async function verify(token) {
      const body = new URLSearchParams({ '${field}': token });
      const request = new Request('http://localhost/', { method: 'POST', body });
      const middleware = plugin({ secret, ${more} });
      const response = await middleware({
        request, env: {}, params: {}, data: {}, functionPath: '/',
        waitUntil() {}, passThroughOnException() {}, next: async () => new Response('welcome'),
      });
      return response.ok;
    }`,
});

const HCAPTCHA = backends('hCaptcha', [
  pagesPlugin('@cloudflare/pages-plugin-hcaptcha', '1.0.4', 'h-captcha-response', 'sitekey'),
  {
    package: 'hcaptcha',
    version: '0.2.0',
    route: 'host',
    code: `
      import hcaptcha from 'hcaptcha';
      const verify = (token) => hcaptcha.verify(secret, token, '203.0.113.1', sitekey).then(({ success }) => success);`,
  },
]);

const TURNSTILE = backends('Turnstile', [
  pagesPlugin('@cloudflare/pages-plugin-turnstile', '1.0.2', 'cf-turnstile-response', ''),
  {
    package: 'cf-turnstile',
    version: '1.0.8',
    route: 'setting',
    configuration: '`apiUrl`',
    code: `
      import turnstiles from 'cf-turnstile';
      const turnstile = (turnstiles.default ?? turnstiles)(secret, { apiUrl: url + '/turnstile/v0/siteverify' });
      const verify = (token) => turnstile(token).then(({ success }) => success);`,
  },
  {
    package: 'nest-cloudflare-turnstile',
    version: '0.0.17',
    needs: {
      '@nestjs/axios': '4.0.1',
      '@nestjs/common': '11.1.24',
      '@nestjs/core': '11.1.24',
      'reflect-metadata': '0.2.2',
      rxjs: '7.8.2',
      axios: '1.12.2',
    },
    route: 'host',
    code: `
      import 'reflect-metadata';
      import { NestFactory } from '@nestjs/core';
      import nest from 'nest-cloudflare-turnstile';
      const module = nest.TurnstileModule.forRoot({ secretKey: secret, tokenResponse: ({ body }) => body.captcha });
      const app = await NestFactory.createApplicationContext(module, { logger: false });
      const guard = app.get(nest.TurnstileGuard);
      const verify = (token) => {
        const getRequest = () => ({ body: { captcha: token } });
        return guard.canActivate({ switchToHttp: () => ({ getRequest }) }).catch(() => false);
      };`,
  },
  {
    package: 'next-turnstile',
    version: '1.0.7',
    variant: 'validateTurnstileToken',
    group: 'next',
    route: 'host',
    code: `
      import { validateTurnstileToken } from 'next-turnstile';
      const verify = (token) =>
        validateTurnstileToken({ token, secretKey: secret }).then(({ success }) => success, () => false);`,
  },
  {
    package: 'nextjs-turnstile',
    version: '1.0.3',
    variant: 'verifyTurnstile',
    group: 'next',
    route: 'host',
    code: `
      import { verifyTurnstile } from 'nextjs-turnstile';
      const verify = (token) => verifyTurnstile(token, { secretKey: secret, ip: '203.0.113.1' });`,
  },
  {
    package: '@sctg/turnstile-vue3',
    version: '1.1.0',
    variant: 'verifyCaptcha',
    group: 'vue-3.5',
    route: 'host',
    code: `
      import { verifyCaptcha } from '@sctg/turnstile-vue3';
      const verify = (token) => verifyCaptcha(secret, token, '203.0.113.1').then(({ success }) => success);`,
  },
  {
    package: 'react-cloudflare-turnstile',
    version: '2.0.0',
    variant: 'verifyTurnstileToken',
    group: 'react-19',
    route: 'host',
    code: `
      import { verifyTurnstileToken } from 'react-cloudflare-turnstile';
      const verify = (token) => verifyTurnstileToken({ turnstileSecretKey: secret, token })
        .then((result) => (result?.success ?? result) === true, () => false);`,
  },
  {
    package: 'sveltekit-turnstile',
    version: '1.2.0',
    variant: 'validateToken',
    route: 'host',
    code: `
      import validateToken from './node_modules/sveltekit-turnstile/dist/validateToken.js';
      const verify = (token) => validateToken(token, secret);`,
  },
]);

/** Better Auth has one plugin for all vendors. */
const betterAuth = (provider: string, path: string) => ({
  package: 'better-auth',
  version: '1.7.25',
  route: 'setting' as const,
  variant: `provider ${provider}`,
  configuration: '`siteVerifyURLOverride`',
  code: `
    import { betterAuth } from 'better-auth';
    import { memoryAdapter } from 'better-auth/adapters/memory';
    import { captcha } from 'better-auth/plugins';
    const auth = betterAuth({
      baseURL: 'http://localhost:3000',
      secret: 'a secret of at least thirty-two characters',
      logger: { disabled: true },
      database: memoryAdapter({ user: [], session: [], account: [], verification: [] }),
      emailAndPassword: { enabled: true },
      plugins: [captcha({
        provider: '${provider}', secretKey: secret, siteKey: sitekey, siteVerifyURLOverride: url + '${path}',
      })],
    });
    let users = 0;
    async function verify(token) {
      const body = JSON.stringify({ email: 'user' + users++ + '@example.com', password: 'a long pass phrase', name: 'Ann' });
      const headers = { 'Content-Type': 'application/json', 'X-Captcha-Response': token };
      const request = new Request('http://localhost:3000/api/auth/sign-up/email', { method: 'POST', headers, body });
      return (await auth.handler(request)).ok;
    }`,
});

const BETTER_AUTH: readonly Client[] = [
  ...backends('reCAPTCHA', [{ ...betterAuth('google-recaptcha', '/recaptcha/api/siteverify'), token: 'v3' }]),
  ...backends('hCaptcha', [betterAuth('hcaptcha', '/hcaptcha/siteverify')]),
  ...backends('Turnstile', [betterAuth('cloudflare-turnstile', '/turnstile/v0/siteverify')]),
];

const ALTCHA = backends('ALTCHA', [
  {
    package: 'altcha-lib',
    version: '2.8.0',
    variant: 'verifyServer',
    route: 'setting',
    configuration: '`url`',
    token: 'altcha',
    code: `
      import { verifyServer } from 'altcha-lib';
      const verify = (payload) => verifyServer({ payload, secret, url: url + '/v1/verify/signature' })
        .then(({ verified }) => verified, () => false);`,
  },
  {
    package: 'altcha-lib',
    version: '2.8.0',
    variant: 'verifySolution, version 1',
    route: 'none',
    configuration: 'the secret for offline verification',
    token: 'altcha-1',
    repeats: true,
    code: `
      import { verifySolution } from 'altcha-lib/v1';
      const verify = (payload) => verifySolution(payload, offlineSecret).catch(() => false);`,
  },
  {
    package: 'altcha-lib',
    version: '2.8.0',
    variant: 'verifyServerSignature',
    route: 'none',
    configuration: 'the secret for offline verification',
    token: 'altcha',
    repeats: true,
    code: `
      import { verifyServerSignature } from 'altcha-lib';
      const verify = (text) => {
        try {
          const payload = JSON.parse(atob(text));
          return verifyServerSignature({ payload, hmacSecret: offlineSecret }).then(({ verified }) => verified);
        } catch {
          return false;
        }
      };`,
  },
  {
    package: 'altcha-lib',
    version: '1.4.1',
    group: 'node-old',
    variant: '1.4.1, verifySolution',
    route: 'none',
    configuration: 'the secret for offline verification',
    token: 'altcha-1',
    repeats: true,
    code: `
      import { verifySolution } from 'altcha-lib';
      const verify = (payload) => verifySolution(payload, offlineSecret).catch(() => false);`,
  },
  {
    package: 'altcha-lib',
    version: '1.4.1',
    group: 'node-old',
    variant: '1.4.1, verifyServerSignature',
    route: 'none',
    configuration: 'the secret for offline verification',
    token: 'altcha',
    repeats: true,
    code: `
      import { verifyServerSignature } from 'altcha-lib';
      const verify = (payload) => verifyServerSignature(payload, offlineSecret).then(({ verified }) => verified, () => false);`,
  },
]);

export const BACKENDS: readonly Client[] = [
  ...RECAPTCHA,
  ...HCAPTCHA,
  ...TURNSTILE,
  ...BETTER_AUTH,
  ...ALTCHA,
];
