import { ORIGIN_MAX_LENGTH, parsePageHost } from '../../captcha/origin.ts';
import { VERDICT_CODES, type Verdict } from '../../captcha/verdict.ts';
import { announcedVersion } from '../../http/puzzleRequest.ts';
import type { Property } from '../../model/property.ts';
import { Field, type FieldErrors, fieldsFor, formState } from '../components/field.tsx';
import { SubmitButton, TOKEN_FIELD } from '../components/form.tsx';
import { Card } from '../components/sections.tsx';
import { widgetLanguageOf } from '../i18n/languages.ts';
import { pageContext } from '../i18n/pageContext.ts';
import { t, template } from '../i18n/t.tsx';
import { Head } from '../kit/assets.tsx';
import { fieldOf } from '../kit/forms.ts';
import type { PortalDeps, PropertyVisit, Visit } from '../kit/handler.ts';
import { propertyPage } from '../kit/pages.tsx';
import { withQuery } from '../kit/paths.ts';

const PUZZLES = '/portal/trial/puzzle';
const STEPS = ['fetch', 'solve', 'send', 'verdict'] as const;

/** Shows every step of a verification. The query can have `page`, the address of the page that the test stands for. */
export function showTest(visit: PropertyVisit, deps: PortalDeps) {
  const { property } = visit;
  const given = fieldOf(visit.query, 'page').trim();
  const parsed = given === '' ? `https://${property.domain}` : originOf(given);
  const errors = parsed === undefined ? [{ field: 'page', text: t('integration.test.pageMalformed') }] : [];
  const origin = parsed ?? `https://${property.domain}`;
  const content = (
    <>
      <Card title={t('integration.test.title')}>
        <p>{t('integration.test.text')}</p>
        {pageForm(visit, parsed === undefined ? given : origin, errors)}
        {trial(visit, deps, origin)}
      </Card>
      {stepsCard(visit, origin)}
    </>
  );
  const title = t('integration.test.open');
  const head = <Head of="test" widget={deps.pinnedWidget} />;
  return propertyPage(visit, '/integration', { title, content, head, errors });
}

/** @returns the origin of an address, with or without a scheme; undefined if it is not the address of a page */
function originOf(address: string): string | undefined {
  if (address.length > ORIGIN_MAX_LENGTH) return undefined;
  const url = URL.parse(address.includes('://') ? address : `https://${address}`);
  const isPage = url !== null && /^https?:$/.test(url.protocol) && parsePageHost(url.origin) !== undefined;
  return isPage ? url.origin : undefined;
}

function pageForm({ propertyPath }: PropertyVisit, page: string, errors: FieldErrors) {
  const field = fieldsFor('integration.test', formState({ page }, errors));
  return (
    <form method="get" action={`${propertyPath}/integration/test`} class="filter">
      <Field {...field('page')} autocomplete="off" isLiteral />
      <SubmitButton tone="quiet">{t('integration.test.use')}</SubmitButton>
    </form>
  );
}

/** The widget, which fetches its puzzle for the page, and the button that starts the test. */
function trial(visit: PropertyVisit, deps: PortalDeps, origin: string) {
  const { sitekey } = visit.property;
  const token = deps.trialTokens.issue({ sitekey, origin });
  return (
    <form id="test" action={`${visit.propertyPath}/integration/test`}>
      <input type="hidden" name={TOKEN_FIELD} value={visit.formToken} />
      <div
        class="postern-captcha"
        data-sitekey={sitekey}
        data-start-mode="click"
        data-theme="auto"
        data-lang={widgetLanguageOf(pageContext().language)}
        data-hold-submit="false"
        data-puzzle-endpoint={withQuery(PUZZLES, { token })}
      />
      <button type="button" id="run" data-again={t('integration.test.again')} hidden>
        {t('integration.test.run')}
      </button>
      <noscript>
        <p>{t('integration.test.noScript')}</p>
      </noscript>
    </form>
  );
}

/** The steps. A script shows the result of each; its texts are in data attributes. */
function stepsCard({ property }: PropertyVisit, origin: string) {
  const host = parsePageHost(origin) ?? '';
  return (
    <Card title={t('integration.test.stepsTitle')}>
      <ol class="trial" id="steps" data-texts={JSON.stringify(textsOf(property, host))}>
        {STEPS.map((step) => (
          <li id={`step-${step}`} data-state="waiting">
            <h3>{t(`integration.test.steps.${step}`)}</h3>
            <p class="help">{t(`integration.test.steps.${step}Meaning`)}</p>
            <p class="result" role="status">
              {t('integration.test.waiting')}
            </p>
          </li>
        ))}
      </ol>
      <details id="answer" hidden>
        <summary>{t('integration.test.answer')}</summary>
        <pre />
      </details>
      <p class="help">{t('integration.test.uncounted')}</p>
    </Card>
  );
}

/** The texts of the script. Names in double braces are replaced by the script. */
function textsOf({ domain }: Property, host: string) {
  return {
    waiting: t('integration.test.waiting'),
    running: t('integration.test.running'),
    skipped: t('integration.test.skipped'),
    fetchDone: template('integration.test.steps.fetchDone'),
    solveDone: template('integration.test.steps.solveDone'),
    wasm: t('integration.test.steps.wasm'),
    script: t('integration.test.steps.script'),
    sendDone: template('integration.test.steps.sendDone'),
    causes: {
      'property-unknown': t('integration.test.causes.property-unknown'),
      'origin-missing': t('integration.test.causes.origin-missing'),
      'origin-not-allowed': t('integration.test.causes.origin-not-allowed', { host, domain }),
      'origin-without-domain': t('integration.test.causes.origin-without-domain', { host }),
      unavailable: t('integration.test.causes.unavailable'),
      expired: t('integration.test.causes.expired'),
      'rate-limited': t('integration.test.causes.rate-limited'),
      network: t('integration.test.causes.network'),
      widget: t('integration.test.causes.widget'),
      session: t('integration.test.causes.session'),
      solve: template('integration.test.causes.solve'),
    },
  };
}

/**
 * `GET /portal/trial/puzzle?token=`: a puzzle for a test, or a problem as JSON. The page is public because the widget sends no cookies;
 * the token is the permission. Its puzzles are not counted and do not raise the difficulty, so each property has a rate limit.
 */
export async function issueTrialPuzzle({ query, request }: Visit, deps: PortalDeps) {
  const trial = deps.trialTokens.open(fieldOf(query, 'token'));
  if (trial === undefined) return Response.json({ problem: 'expired' }, { status: 403 });
  const { isAllowed, retryAfterSeconds } = deps.verificationTest.limit(trial.sitekey);
  if (!isAllowed) {
    const headers = { 'Retry-After': String(retryAfterSeconds) };
    return Response.json({ problem: 'rate-limited' }, { status: 429, headers });
  }
  const version = announcedVersion(request);
  const issued = await deps.verificationTest.issue({ ...trial, client: 0, version });
  if (!issued.ok) return Response.json({ problem: issued.problem }, { status: 403 });
  return new Response(issued.value.text, { headers: { 'Content-Type': 'text/plain; charset=utf-8' } });
}

/** Maximum length of a solution, in characters. Solutions of the widget have about 500. */
const SOLUTION_MAX_LENGTH = 4096;

/** `POST …/integration/test`: verifies the field `solution` like `POST /verify`. Responds with JSON. */
export async function verifyTrial(visit: PropertyVisit, { verificationTest }: PortalDeps) {
  const { organization, property } = visit;
  const payload = fieldOf(visit.form, 'solution');
  const { id, ownerId } = organization;
  const verdict = await verificationTest.verify({
    payload: payload.length > SOLUTION_MAX_LENGTH ? '' : payload,
    principal: { memberOf: new Set([id]), organizationId: id, creatorId: ownerId },
    expectedSitekey: property.sitekey,
  });
  const { success, name, origin } = verdict;
  const answer = { success, code: VERDICT_CODES[name], origin };
  return Response.json({ answer, success, sentence: sentenceOf(verdict) });
}

function sentenceOf({ success, name, origin }: Verdict): string {
  const code = VERDICT_CODES[name];
  if (success) return t('integration.test.success', { code, origin });
  const known = ADVICE.find((one) => one === name) ?? 'other';
  return t('integration.test.rejected', { code, name, advice: t(`integration.test.advice.${known}`) });
}

/** The verdicts with their own advice. */
const ADVICE = ['error-other', 'puzzle-expired', 'solution-verified-before'] as const;
