import { curl, go, javascript, php, python, type SnippetFacts } from './snippetTemplates.ts';

export type Snippet = {
  readonly id: string;
  readonly title: string;
  /** A sentence about what the code needs. */
  readonly requirements: string;
  readonly code: string;
};

export const KEY_PLACEHOLDER = 'YOUR_VERIFY_KEY';

export function pageSnippets({ baseUrl, property, pinned }: SnippetFacts) {
  const script = `<script src="${baseUrl}/widget/postern.js" defer></script>`;
  const pinnedScript = `<script src="${baseUrl}${pinned.path}"
  integrity="${pinned.integrity}"
  crossorigin="anonymous" defer></script>`;
  const widget = `<div class="postern-captcha" data-sitekey="${property.sitekey}"></div>
<noscript>This form is protected against bots. Please enable JavaScript to submit it.</noscript>`;
  return { script, pinnedScript, widget };
}

const BACKENDS = [
  ['javascript', 'JavaScript', 'Requires Node 18 or newer, Deno, or Bun.', javascript],
  ['python', 'Python', 'Requires Python 3 and no packages.', python],
  ['php', 'PHP', 'Requires PHP 8 with allow_url_fopen enabled, which is the default.', php],
  ['go', 'Go', 'Requires only the standard library.', go],
  ['curl', 'curl', 'Requires a shell with curl and grep.', curl],
] as const;

/** The code for the backend: one complete function per language, which verifies the field of the form. */
export function backendSnippets(facts: SnippetFacts): readonly Snippet[] {
  return BACKENDS.map(([id, title, requirements, code]) => ({ id, title, requirements, code: code(facts) }));
}
