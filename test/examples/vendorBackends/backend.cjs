// Verifies the token in POSTERN_TOKEN with the library named in the first argument, and prints the result as JSON.
const {
  POSTERN_URL: url,
  POSTERN_SECRET: secret,
  POSTERN_TOKEN: token,
  POSTERN_SITEKEY: sitekey,
} = process.env;
const request = {
  body: { 'g-recaptcha-response': token },
  headers: { 'x-forwarded-for': '203.0.113.1, 10.0.0.1' },
};

const LIBRARIES = {
  async recaptcha2() {
    const Recaptcha2 = require('recaptcha2');
    const recaptcha = new Recaptcha2({ siteKey: sitekey, secretKey: secret });
    recaptcha.apiEndpoint = `${url}/recaptcha/api/siteverify`;
    return recaptcha.validate(token, '203.0.113.1').then(
      () => ({ isAccepted: true }),
      (codes) => ({ isAccepted: false, codes }),
    );
  },
  async hcaptcha() {
    const { verify } = require('hcaptcha');
    const result = await verify(secret, token, '203.0.113.1', sitekey);
    return { isAccepted: result.success, codes: result['error-codes'], hostname: result.hostname };
  },
  'express-recaptcha v2': () => express('RecaptchaV2', { checkremoteip: true }),
  'express-recaptcha v3': () => express('RecaptchaV3', { checkremoteip: true }),
};

function express(name, options) {
  const recaptcha = new (require('express-recaptcha')[name])(sitekey, secret, options);
  return new Promise((resolve) => {
    recaptcha.verify(request, (error, data) =>
      resolve({ isAccepted: !error, codes: error ? [error] : [], ...data }),
    );
  });
}

LIBRARIES[process.argv[2]]().then((result) => process.stdout.write(JSON.stringify(result)));
