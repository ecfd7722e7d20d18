import { expectedPuzzleAttempts } from '../../../captcha/playground.ts';
import { parseSitekey } from '../../../model/property.ts';
import { SETTING_FIELDS } from '../../../model/propertyFields.ts';
import { Card } from '../components/card.tsx';
import { Field, type FieldErrors } from '../components/field.tsx';
import { SubmitButton } from '../components/form.tsx';
import { PlaygroundHead } from '../kit/assets.tsx';
import { withQuery } from '../kit/formData.ts';
import type { PortalDeps, PropertyVisit, Visit } from '../kit/handler.ts';
import { errorOf } from '../kit/messages.ts';
import { propertyPage } from './propertyPage.tsx';
import { amountOf, CostTable, durationOf, solveMs } from './solveCost.tsx';

const PUZZLES = '/portal/playground/puzzle';

/** The widget with a puzzle of any level, and the cost of that level. */
export function showPlayground(visit: PropertyVisit, deps: PortalDeps) {
  const { property } = visit;
  const asked = visit.query.get('level') ?? String(property.level);
  const parsed = levelIn(asked);
  const level = parsed ?? property.level;
  const errors = parsed === undefined ? [errorOf('level-malformed', 'level')] : [];
  const content = (
    <>
      <Card title="Try it">
        <LevelForm visit={visit} value={asked} errors={errors} />
        <Trial sitekey={property.sitekey} level={level} />
      </Card>
      <CostCard level={level} />
    </>
  );
  const head = <PlaygroundHead widget={deps.pinnedWidget} />;
  return propertyPage(visit, '/playground', { content, head, errors });
}

function LevelForm(props: {
  readonly visit: PropertyVisit;
  readonly value: string;
  readonly errors: FieldErrors;
}) {
  const { property, propertyPath } = props.visit;
  return (
    <form method="get" action={`${propertyPath}/playground`} class="filter">
      <Field
        name="level"
        label="Level"
        type="number"
        value={props.value}
        range={SETTING_FIELDS.level}
        help={`The level of this property is ${property.level}. Trying another level does not change it.`}
        autocomplete="off"
        errors={props.errors}
      />
      <SubmitButton tone="quiet">Try this level</SubmitButton>
    </form>
  );
}

/** The widget. A script fills in the measured time. */
function Trial({ sitekey, level }: { readonly sitekey: string; readonly level: number }) {
  return (
    <>
      <p>
        Select the checkbox. Your browser then solves one puzzle of level {level}, like a visitor’s browser.
        The puzzle is only for this test: it is not counted, and no backend accepts it.
      </p>
      <div
        class="postern-captcha"
        data-sitekey={sitekey}
        data-start-mode="click"
        data-theme="auto"
        data-lang="en"
        data-puzzle-endpoint={withQuery(PUZZLES, { level: String(level) })}
      />
      <noscript>
        <p>The widget needs JavaScript.</p>
      </noscript>
      <p id="measured" role="status" hidden />
    </>
  );
}

function CostCard({ level }: { readonly level: number }) {
  return (
    <Card title="Cost of this level">
      <p>
        A puzzle of level {level} takes about {amountOf(expectedPuzzleAttempts(level))} attempts on average.
        The number depends on chance: some visitors need half as many, others twice as many. A laptop takes{' '}
        {durationOf(solveMs(level, 'laptop'))}, a slow phone (a million attempts per second){' '}
        {durationOf(solveMs(level, 'phone'))}. A bot spends {durationOf(solveMs(level, 'bot'))} of one
        processor core on each form that it sends.
      </p>
      <CostTable level={level} />
    </Card>
  );
}

/**
 * `GET /portal/playground/puzzle?level=&sitekey=`: a puzzle that no backend accepts. The page is public because the
 * widget sends no cookies.
 */
export function issuePuzzle({ query }: Visit, { issuePlaygroundPuzzle }: PortalDeps) {
  const level = levelIn(query.get('level') ?? '');
  const sitekey = parseSitekey(query.get('sitekey') ?? '');
  if (level === undefined || !sitekey.ok)
    return new Response('The level or the sitekey is invalid.', { status: 400 });
  const headers = { 'Content-Type': 'text/plain; charset=utf-8' };
  return new Response(issuePlaygroundPuzzle(sitekey.value, level), { headers });
}

/** @returns undefined if the text is not a level */
function levelIn(text: string): number | undefined {
  const level = SETTING_FIELDS.level.parse(/^\d{1,3}$/.test(text) ? Number(text) : Number.NaN);
  return level.ok ? level.value : undefined;
}
