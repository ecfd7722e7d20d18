import { workOf } from '../../captcha/solveCosts.ts';
import { announcedVersion } from '../../http/puzzleRequest.ts';
import { type Property, parseSitekey } from '../../model/property.ts';
import { type Challenge, SETTING_FIELDS } from '../../model/propertyFields.ts';
import { Field, type FieldErrors } from '../components/field.tsx';
import { SubmitButton } from '../components/form.tsx';
import { Card } from '../components/sections.tsx';
import { widgetLanguageOf } from '../i18n/languages.ts';
import { pageContext } from '../i18n/pageContext.ts';
import { rich, t, template } from '../i18n/t.tsx';
import { Head } from '../kit/assets.tsx';
import { errorOf } from '../kit/forms.ts';
import type { PortalDeps, PropertyVisit, Visit } from '../kit/handler.ts';
import { propertyPage } from '../kit/pages.tsx';
import { withQuery } from '../kit/paths.ts';
import { amountOf, CHALLENGES, CostTable, LevelCost, timesOf } from './solveCost.tsx';

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
        {levelForm(visit, asked, errors)}
        {trial(property, level)}
        <p class="help">
          {rich('properties.playground.testIntegration', { link: `${visit.propertyPath}/integration/test` })}
        </p>
      </Card>
      {costCard(level, property.challenge)}
    </>
  );
  const head = <Head of="playground" widget={deps.pinnedWidget} />;
  return propertyPage(visit, '/playground', { content, head, errors });
}

function levelForm({ property, propertyPath }: PropertyVisit, value: string, errors: FieldErrors) {
  return (
    <form method="get" action={`${propertyPath}/playground`} class="filter">
      <Field
        name="level"
        label={t('properties.playground.level')}
        type="number"
        value={value}
        range={SETTING_FIELDS.level}
        help={t('properties.playground.levelHelp', { level: property.level })}
        autocomplete="off"
        errors={errors}
      />
      <SubmitButton tone="quiet">{t('properties.playground.show')}</SubmitButton>
    </form>
  );
}

/** @returns the path of puzzles like those of a property, which no backend accepts and which are not counted */
export function playgroundEndpoint({ level, challenge }: Pick<Property, 'level' | 'challenge'>): string {
  return withQuery(PUZZLES, { level: String(level), ...(challenge !== 'blake2b' && { challenge }) });
}

/** The widget. A script fills in the measured time. */
function trial(property: Property, level: number) {
  return (
    <>
      <p>{t('properties.playground.text', { level })}</p>
      <div
        class="postern-captcha"
        data-sitekey={property.sitekey}
        data-start-mode="click"
        data-theme="auto"
        data-lang={widgetLanguageOf(pageContext().language)}
        data-puzzle-endpoint={playgroundEndpoint({ ...property, level })}
      />
      <noscript>
        <p>{t('properties.playground.noScript')}</p>
      </noscript>
      <p
        id="measured"
        role="status"
        data-solving={t('properties.playground.solving')}
        data-wasm={template('properties.playground.measuredWasm')}
        data-script={template('properties.playground.measuredScript')}
        data-hashes={template('properties.playground.measuredHashes')}
        data-failed={template('properties.playground.failed')}
        hidden
      />
    </>
  );
}

function costCard(level: number, challenge: Challenge) {
  const attempts = amountOf(workOf(level, challenge).attempts);
  return (
    <Card title={t('properties.playground.costTitle')}>
      <p>{t('properties.playground.cost', { level, attempts, ...timesOf(level, challenge) })}</p>
      <LevelCost level={level} challenge={challenge} />
      <CostTable level={level} challenge={challenge} />
    </Card>
  );
}

/**
 * `GET /portal/playground/puzzle?level=&challenge=&sitekey=`: a puzzle that no backend accepts. The page is public because the
 * widget sends no cookies.
 */
export function issuePuzzle({ query, request }: Visit, { issuePlaygroundPuzzle }: PortalDeps) {
  const level = levelIn(query.get('level') ?? '');
  const challenge = CHALLENGES.find((one) => one === (query.get('challenge') ?? 'blake2b'));
  const sitekey = parseSitekey(query.get('sitekey') ?? '');
  if (level === undefined || challenge === undefined || !sitekey.ok)
    return new Response('The level, the challenge, or the sitekey is invalid.', { status: 400 });
  const version = announcedVersion(request);
  const puzzle = issuePlaygroundPuzzle({ sitekey: sitekey.value, level, challenge, version });
  return new Response(puzzle, { headers: { 'Content-Type': 'text/plain; charset=utf-8' } });
}

/** @returns undefined if the text is not a level */
function levelIn(text: string): number | undefined {
  const level = SETTING_FIELDS.level.parse(/^\d{1,3}$/.test(text) ? Number(text) : Number.NaN);
  return level.ok ? level.value : undefined;
}
