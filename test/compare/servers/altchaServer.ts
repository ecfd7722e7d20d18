import { createAltcha } from './altcha.ts';
import { serve } from './serve.ts';

/** `altcha-lib` behind a bare server. Usage: `altchaServer.ts LIBRARY PBKDF2 SECRET`: two modules of the library, and the text of the secrets. */

const [library = '', pbkdf2 = '', secret = ''] = process.argv.slice(2);
const { challenge, verify } = await createAltcha(library, pbkdf2, secret);

serve({
  '/challenge': () => challenge(),
  '/verify': async (request) => ((await verify(await request.text())) ? { success: true } : undefined),
});
