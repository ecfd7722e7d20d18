import type { VerifyAnswer } from '../../support/visitor.ts';
import type { TestPostern, Website } from '../fixture.ts';

/** Placeholders in the examples. */
const HOST = 'https://captcha.example.com';
const SITEKEY = '0123456789abcdef0123456789abcdef';

export type Received = {
  readonly fields: ReadonlyMap<string, string>;
  readonly payload: string;
  readonly verdict: VerifyAnswer;
};

/** A website whose backend verifies each form. */
export type ExampleWebsite = Pick<Website, 'url' | 'stop'> & {
  /** The forms sent to `/signup`, in order, with their verdicts. */
  readonly received: readonly Received[];
};

const TYPES: Readonly<Record<string, string>> = { html: 'text/html', js: 'text/javascript' };

/**
 * Serves files and replaces the placeholders; `/` is `signup.html`.
 *
 * @param files text by name
 */
export function serveExample(
  files: ReadonlyMap<string, string>,
  postern: TestPostern,
  sitekey = postern.sitekey,
): ExampleWebsite {
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
        const isVerified = verdict.success && verdict.code === 0;
        return new Response(`<title>${isVerified}</title>`, {
          status: isVerified ? 200 : 403,
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
