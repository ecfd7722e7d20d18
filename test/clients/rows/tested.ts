import { PROGRAMS } from '../../browser/vendorComponents/programs.ts';
import type { GroupName, PageClient, Route, Vendor } from '../client.ts';

/** The components that `npm test` also runs, with the same programs. */

type Known = {
  readonly vendor: Vendor;
  readonly group: GroupName;
  readonly version: string;
  readonly route: Route;
  readonly configuration?: string;
};

const KNOWN: Readonly<Record<string, Known>> = {
  'react-google-recaptcha': { vendor: 'reCAPTCHA', group: 'react-19', version: '3.1.0', route: 'script' },
  'react-google-recaptcha-v3': { vendor: 'reCAPTCHA', group: 'react-19', version: '1.11.0', route: 'host' },
  'vue-recaptcha': {
    vendor: 'reCAPTCHA',
    group: 'vue-3.5',
    version: '2.0.3',
    route: 'script',
    configuration: '`loadRecaptchaScript` is `false`',
  },
  'vue3-recaptcha2': { vendor: 'reCAPTCHA', group: 'vue-3.5', version: '1.8.0', route: 'script' },
  'recaptcha-v3': {
    vendor: 'reCAPTCHA',
    group: 'plain',
    version: '1.11.3',
    route: 'setting',
    configuration: '`customUrl`',
  },
  '@hcaptcha/react-hcaptcha': {
    vendor: 'hCaptcha',
    group: 'react-19',
    version: '2.2.0',
    route: 'setting',
    configuration: '`scriptSource`',
  },
  '@hcaptcha/loader': {
    vendor: 'hCaptcha',
    group: 'plain',
    version: '2.4.2',
    route: 'setting',
    configuration: '`scriptSource`',
  },
  '@marsidev/react-turnstile': {
    vendor: 'Turnstile',
    group: 'react-19',
    version: '1.6.1',
    route: 'script',
    configuration: 'the id `cf-turnstile-script`',
  },
  'react-turnstile': { vendor: 'Turnstile', group: 'react-19', version: '1.1.5', route: 'script' },
  'vue-turnstile': { vendor: 'Turnstile', group: 'vue-3.5', version: '1.0.11', route: 'script' },
};

export const TESTED: readonly PageClient[] = PROGRAMS.map(({ title, head, code, start }) => {
  const [name = ''] = title.split(',');
  const known = KNOWN[name];
  if (known === undefined) throw new Error(`unknown client: ${name}`);
  const { version, configuration = '', ...rest } = known;
  const isPressed = start?.includes('shadowRoot') === true;
  return {
    ...rest,
    kind: 'page',
    name: title,
    packages: { [name]: version },
    configuration,
    head,
    code: `${code}\nwindow.render();`,
    ...(start === undefined || isPressed ? {} : { start }),
  };
});
