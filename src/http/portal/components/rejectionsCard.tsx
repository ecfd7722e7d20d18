import { VERDICT_CODES, type VerdictName } from '../../../captcha/verdict.ts';
import type { Report } from '../../../platform/properties/statistics.ts';
import type { Element } from '../../jsx/elements.ts';
import { Card } from './card.tsx';
import { grouped, percent } from './numbers.ts';

type Reason = { readonly title: string; readonly advice: string };

/** A title and advice for each verdict that rejects a solution. */
const REASONS: Readonly<Partial<Record<VerdictName, Reason>>> = {
  'error-other': {
    title: 'Disabled property or server error',
    advice: 'Check whether the property is disabled. If it is enabled, the server’s log has the reason.',
  },
  'solution-duplicates': {
    title: 'Duplicate solutions',
    advice: 'The widget never sends these. A program is guessing.',
  },
  'solution-invalid': {
    title: 'Wrong solution',
    advice:
      'A program skips the work. If real visitors report this, check that the page loads the widget from this server.',
  },
  'solution-bad-format': {
    title: 'No solution',
    advice:
      'The field is empty, or another product filled it in. Check that the form waits for the widget and that the backend sends the field unchanged.',
  },
  'puzzle-expired': {
    title: 'Puzzle expired',
    advice:
      'The form was open for longer than the puzzle is valid, or the backend verifies too late. You can increase the validity in the settings of the property.',
  },
  'property-invalid': {
    title: 'Wrong property',
    advice:
      'The sitekey that the backend expects differs from the one on the page, or the property was deleted.',
  },
  'property-owner-mismatch': {
    title: 'API key of another user',
    advice: 'The user of the API key is not a member of the organization. Use a member’s key.',
  },
  'solution-verified-before': {
    title: 'Already verified',
    advice:
      'A form was sent twice, or a solution was reused. If your backend verifies more than once on purpose, accept repeated solutions in the settings of the property.',
  },
  'integrity-error': {
    title: 'Invalid signature',
    advice:
      'Another server issued the puzzle, or it was changed. Check that the page and the backend use the same server.',
  },
  'org-scope-error': {
    title: 'API key of another organization',
    advice:
      'The API key is limited to another organization. Use a key for this organization, or for all organizations.',
  },
};

const NAMES: ReadonlyMap<number, VerdictName> = new Map(
  Object.entries(VERDICT_CODES).map(([name, code]) => [code, name as VerdictName]),
);

/** Rejected verifications by reason, with advice, the most frequent reason first. */
export function RejectionsCard(props: { readonly report: Pick<Report, 'failures' | 'totals'> }): Element {
  const { failures, totals } = props.report;
  const sorted = [...failures].toSorted(([, a], [, b]) => b - a);
  return (
    <Card title="Rejected">
      {sorted.length === 0 || totals.failed === 0 ? (
        <p class="empty">No verification was rejected.</p>
      ) : (
        <ul class="rejections">
          {sorted.map(([code, count]) => (
            <Rejection code={code} count={count} total={totals.failed} />
          ))}
        </ul>
      )}
    </Card>
  );
}

function Rejection(props: {
  readonly code: number;
  readonly count: number;
  readonly total: number;
}): Element {
  const { code, count, total } = props;
  const name = NAMES.get(code);
  const reason = name === undefined ? undefined : REASONS[name];
  return (
    <li>
      <h3>{reason?.title ?? 'Other'}</h3>
      <p class="count">
        <strong>{grouped(count)}</strong> <span>{percent(count, total)}</span>
      </p>
      <p class="help">
        {reason?.advice ?? ''}{' '}
        <code>
          {code} {name ?? ''}
        </code>
      </p>
    </li>
  );
}
