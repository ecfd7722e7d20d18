import { workOf } from '../../../captcha/solveCosts.ts';
import { parseSitekey } from '../../../model/property.ts';
import { SETTING_FIELDS } from '../../../model/propertyFields.ts';
import { Card } from '../components/card.tsx';
import { Field, type FieldErrors } from '../components/field.tsx';
import { SubmitButton } from '../components/form.tsx';
import { pageContext } from '../i18n/pageContext.ts';
import { rich } from '../i18n/rich.tsx';
import { t } from '../i18n/t.ts';
import { PlaygroundHead } from '../kit/assets.tsx';
import { withQuery } from '../kit/formData.ts';
import type { PortalDeps, PropertyVisit, Visit } from '../kit/handler.ts';
import { errorOf } from '../kit/messages.ts';
import { propertyPage } from './propertyPage.tsx';
import { amountOf, CostTable, LevelCost, timesOf } from './solveCost.tsx';

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
      <Card title={t('properties.playground.title')}>
        <LevelForm visit={visit} value={asked} errors={errors} />
        <Trial sitekey={property.sitekey} level={level} />
        <p class="help">
          {rich('properties.playground.testIntegration', {
            link: (text) => <a href={`${visit.propertyPath}/integration/test`}>{text}</a>,
          })}
        </p>
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
        label={t('properties.playground.level')}
        type="number"
        value={props.value}
        range={SETTING_FIELDS.level}
        help={t('properties.playground.levelHelp', { level: property.level })}
        autocomplete="off"
        errors={props.errors}
      />
      <SubmitButton tone="quiet">{t('properties.playground.show')}</SubmitButton>
    </form>
  );
}

/** The widget. A script fills in the measured time. */
function Trial({ sitekey, level }: { readonly sitekey: string; readonly level: number }) {
  const open = { skipInterpolation: true } as never;
  return (
    <>
      <p>{t('properties.playground.text', { level })}</p>
      <div
        class="postern-captcha"
        data-sitekey={sitekey}
        data-start-mode="click"
        data-theme="auto"
        data-lang={pageContext().language}
        data-puzzle-endpoint={withQuery(PUZZLES, { level: String(level) })}
      />
      <noscript>
        <p>{t('properties.playground.noScript')}</p>
      </noscript>
      <p
        id="measured"
        role="status"
        data-solving={t('properties.playground.solving')}
        data-wasm={t('properties.playground.measuredWasm', open)}
        data-script={t('properties.playground.measuredScript', open)}
        data-failed={t('properties.playground.failed', open)}
        hidden
      />
    </>
  );
}

function CostCard({ level }: { readonly level: number }) {
  const attempts = amountOf(workOf(level, 'blake2b').attempts);
  return (
    <Card title={t('properties.playground.costTitle')}>
      <p>{t('properties.playground.cost', { level, attempts, ...timesOf(level, 'blake2b') })}</p>
      <LevelCost level={level} challenge="blake2b" />
      <CostTable level={level} challenge="blake2b" />
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
