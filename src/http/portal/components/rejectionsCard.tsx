import { VERDICT_CODES, type VerdictName } from '../../../captcha/verdict.ts';
import { type Html, html } from '../../../lib/html.ts';
import type { Report } from '../../../platform/statistics.ts';
import { grouped, percent } from './numbers.ts';
import { card } from './parts.tsx';

type Reason = { readonly title: string; readonly advice: string };

/** Verdicts that may refuse, for people: what it was, and what to look at. */
const REASONS: Readonly<Partial<Record<VerdictName, Reason>>> = {
  'error-other': {
    title: 'Not decided',
    advice: 'Is the site switched off? If not, the log of the server says why nothing could be decided.',
  },
  'solution-duplicates': {
    title: 'The same solution twice',
    advice: 'The widget never sends this: a program is trying its luck.',
  },
  'solution-invalid': {
    title: 'Wrong solution',
    advice:
      'A program that skips the work. Where visitors tell of it: does the page load the widget from this server?',
  },
  'solution-bad-format': {
    title: 'No solution',
    advice:
      'An empty field, or another product’s. Does the form wait for the widget, and does the backend send the field as it is?',
  },
  'puzzle-expired': {
    title: 'Too late',
    advice:
      'The form was open for longer than a puzzle is good for, or the backend verifies late. The settings of the site allow more time.',
  },
  'property-invalid': {
    title: 'Another site',
    advice: 'The sitekey that the backend expects is not the one on the page, or the site is gone.',
  },
  'property-owner-mismatch': {
    title: 'API key of somebody else',
    advice: 'The user of the API key is no member of the organization. Use a key of a member.',
  },
  'solution-verified-before': {
    title: 'Verified before',
    advice:
      'A form that was sent twice, or a solution that is used again. Where your backend verifies twice on purpose, allow repeats in the settings of the site.',
  },
  'integrity-error': {
    title: 'Changed, or from elsewhere',
    advice:
      'Another server issued the puzzle, or somebody changed it. Do page and backend use the same server?',
  },
  'org-scope-error': {
    title: 'API key for another organization',
    advice: 'The API key is good for another organization alone. Use one for this organization, or for all.',
  },
};

const NAMES: ReadonlyMap<number, VerdictName> = new Map(
  Object.entries(VERDICT_CODES).map(([name, code]) => [code, name as VerdictName]),
);

/** Refused verifications by reason, most first, with what to look at. */
export function refusalCard({ failures, totals }: Pick<Report, 'failures' | 'totals'>): Html {
  if (totals.failed === 0) return card('Refused', html`<p class="empty">Nothing was refused.</p>`);
  const sorted = [...failures].toSorted(([, a], [, b]) => b - a);
  const items = sorted.map(([code, count]) => refusalItem(code, count, totals.failed));
  return card('Refused', html`<ul class="refusals">${items}</ul>`);
}

function refusalItem(code: number, count: number, all: number): Html {
  const name = NAMES.get(code);
  const reason = name === undefined ? undefined : REASONS[name];
  return html`<li><h3>${reason?.title ?? 'Other'}</h3>
<p class="count"><strong>${grouped(count)}</strong> <span>${percent(count, all)}</span></p>
<p class="help">${reason?.advice ?? ''} <code>${code} ${name ?? ''}</code></p></li>
`;
}
