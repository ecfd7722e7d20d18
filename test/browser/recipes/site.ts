import type { VerifyAnswer } from '../../support/visitor.ts';
import type { Site, TestPostern } from '../fixture.ts';

/** What stands in the recipes where everybody writes their own. */
const HOST = 'https://captcha.example.com';
const SITEKEY = '0123456789abcdef0123456789abcdef';

export type Received = {
  readonly fields: ReadonlyMap<string, string>;
  readonly payload: string;
  readonly verdict: VerifyAnswer;
};

/** A site whose backend asks Postern about each form, as backends should. */
export type RecipeSite = Pick<Site, 'url' | 'stop'> & {
  /** What came to `/signup`, in order, with Postern's answer. */
  readonly received: readonly Received[];
};

const TYPES: Readonly<Record<string, string>> = { html: 'text/html', js: 'text/javascript' };

/**
 * Serves files with the host and the sitekey of a running Postern in them; `/` is `signup.html`.
 *
 * @param files text by name
 */
export function serveRecipe(
  files: ReadonlyMap<string, string>,
  postern: TestPostern,
  sitekey = postern.sitekey,
): RecipeSite {
  const received: Received[] = [];
  const server = Bun.serve({
    port: 0,
    async fetch(request) {
      const name = new URL(request.url).pathname.slice(1) || 'signup.html';
      if (request.method === 'POST' && name === 'signup') {
        const form = [...(await request.formData())];
        const fields = new Map(form.map(([name, value]) => [name, String(value)] as const));
        const payload = fields.get('postern-captcha-solution') ?? '';
        const verdict = await postern.verify(payload);
        received.push({ fields, payload, verdict });
        const isFine = verdict.success && verdict.code === 0;
        return new Response(`<title>${isFine}</title>`, {
          status: isFine ? 200 : 403,
          headers: { 'content-type': 'text/html' },
        });
      }
      const text = files.get(name);
      if (text === undefined) return new Response(null, { status: 404 });
      return new Response(text.replaceAll(HOST, postern.url).replaceAll(SITEKEY, sitekey), {
        headers: { 'content-type': TYPES[name.split('.').at(-1) ?? ''] ?? 'text/plain' },
      });
    },
  });
  return {
    url: `http://localhost:${server.port}/`,
    received,
    stop: () => server.stop(true),
  };
}
