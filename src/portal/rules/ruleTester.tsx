import type { MatchedRule, RuleTest, RuleTestRequest } from '../../model/rules/evaluation.ts';
import { DOWNGRADES, downgradeOf } from '../../model/rules/rule.ts';
import {
  Field,
  type FieldError,
  type FieldErrors,
  type FormState,
  fieldsFor,
  formState,
  Select,
  TextArea,
} from '../components/field.tsx';
import { NameLink } from '../components/values.tsx';
import { t } from '../i18n/t.tsx';
import { errorOf, fieldOf } from '../kit/forms.ts';
import type { PortalDeps } from '../kit/handler.ts';
import { accessLost } from '../kit/pages.tsx';
import { CHALLENGE_NAMES, timesOf } from '../properties/solveCost.tsx';
import { RuleForm } from './ruleForm.tsx';
import { type RulePlace, rulePath } from './rulePlace.tsx';
import { ActionBadge, ConditionsSentence, signedLevels } from './ruleSummary.tsx';

type TypedTest = Readonly<
  Record<'address' | 'country' | 'asn' | 'path' | 'user_agent' | 'headers' | 'downgrade', string>
>;

/** Starts with the address and the browser of the user. */
export function showTester(
  place: RulePlace,
  { rules }: PortalDeps,
  form = ownRequest(place),
  test?: RuleTest,
) {
  const field = fieldsFor('rules.tester', form);
  const text = { isOptional: true, isLiteral: true } as const;
  const { hasCountries, hasAsns } = rules.geoip();
  // Without the GeoIP files, an empty field stays unknown, and rules with this condition never match.
  const country = t(hasCountries ? 'rules.tester.countryFound' : 'rules.form.unknownCountries');
  const asn = t(hasAsns ? 'rules.tester.asnFound' : 'rules.form.unknownAsns');
  const content = (
    <>
      {test && testResult(form.typed.downgrade ? { ...place, challenge: 'blake2b' } : place, test)}
      <section class="card">
        <p>{t('rules.tester.text')}</p>
        <RuleForm place={place} action={`${place.path}/test`} button={t('rules.tester.button')}>
          <div class="rule-conditions">
            <Field {...field('address')} {...text} autocomplete="off" />
            <Field {...field('path')} {...text} autocomplete="off" />
            <Field {...withHelp(field('country'), country)} {...text} autocomplete="off" />
            <Field {...withHelp(field('asn'), asn)} {...text} inputmode="numeric" autocomplete="off" />
            <TextArea {...field('user_agent')} {...text} />
            <TextArea {...field('headers')} {...text} />
            <Select {...field('downgrade')} options={downgradeOptions()} />
          </div>
        </RuleForm>
      </section>
    </>
  );
  return place.show({ title: t('rules.tester.title'), content, errors: form.errors });
}

function downgradeOptions(): Readonly<Record<string, string>> {
  const kinds = DOWNGRADES.map((kind) => [kind, CHALLENGE_NAMES[kind]]);
  return { '': t('rules.tester.notDowngraded'), ...Object.fromEntries(kinds) };
}

function withHelp<Shown extends { readonly help?: string | undefined }>(shown: Shown, more: string) {
  return { ...shown, help: `${shown.help ?? ''} ${more}` };
}

function ownRequest({ visit }: RulePlace): FormState<TypedTest> {
  const { address = '', browser } = visit.clientInfo;
  const unknown = { country: '', asn: '', path: '', headers: '', downgrade: '' };
  return formState({ ...unknown, address, user_agent: browser });
}

/** `POST …/rules/test`: shows what would happen to the request. */
export async function testRequest(place: RulePlace, deps: PortalDeps) {
  const { form, actor } = place.visit;
  const typed: TypedTest = {
    address: fieldOf(form, 'address').trim(),
    country: fieldOf(form, 'country').trim(),
    asn: fieldOf(form, 'asn').trim(),
    path: fieldOf(form, 'path').trim(),
    user_agent: fieldOf(form, 'user_agent').replaceAll(/\s+/g, ' ').trim(),
    headers: fieldOf(form, 'headers'),
    downgrade: fieldOf(form, 'downgrade'),
  };
  const rejected = (...errors: FieldErrors) => showTester(place, deps, formState(typed, errors));
  const read = readTest(typed);
  if ('errors' in read) return rejected(...read.errors);
  const test = await deps.rules.test(actor, place.scope, read.request);
  if (test.ok) return showTester(place, deps, formState(typed), test.value);
  const { problem } = test;
  if (problem === 'address-malformed') return rejected(errorOf(problem, 'address'));
  if (problem === 'page-path-malformed') return rejected(errorOf(problem, 'path'));
  return accessLost(place.visit, problem);
}

type Read<Name extends string, Value> = { readonly [Key in Name]: Value } | { readonly errors: FieldErrors };

function readTest(typed: TypedTest): Read<'request', RuleTestRequest> {
  const { address, country, path, user_agent: userAgent } = typed;
  const headers = headersIn(typed.headers);
  const asn = /^(?:AS)?(\d{1,10})$/i.exec(typed.asn)?.[1];
  const isAsn = typed.asn === '' || (asn !== undefined && Number(asn) >= 1 && Number(asn) <= 4_294_967_294);
  const errors: FieldError[] = [
    ...(/^(?:[a-z]{2})?$/i.test(country)
      ? []
      : [{ field: 'country', text: t('rules.tester.countryMalformed') }]),
    ...(isAsn ? [] : [{ field: 'asn', text: t('rules.tester.asnMalformed') }]),
    ...('errors' in headers ? headers.errors : []),
  ];
  if (errors.length > 0 || 'errors' in headers) return { errors };
  const request: RuleTestRequest = {
    headers: headers.headers,
    downgrade: downgradeOf(typed.downgrade),
    ...(address !== '' && { address }),
    ...(userAgent !== '' && { userAgent }),
    ...(path !== '' && { path }),
    ...(country !== '' && { country: country.toUpperCase() }),
    ...(asn !== undefined && { asn: Number(asn) }),
  };
  return { request };
}

/** Reads one header on each line. */
function headersIn(text: string): Read<'headers', Readonly<Record<string, string>>> {
  const headers: Record<string, string> = {};
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    if (line.trim() === '') continue;
    const match = /^\s*([\w!#$%&'*+.^`|~-]+):\s*(.*)$/.exec(line);
    if (match === null)
      return { errors: [{ field: 'headers', text: t('rules.tester.headerMalformed', { line: index + 1 }) }] };
    headers[match[1] ?? ''] = match[2] ?? '';
  }
  return { headers };
}

function testResult(place: RulePlace, test: RuleTest) {
  const { action, matches, country, asn } = test;
  const unknown = t('rules.tester.unknown');
  return (
    <section class="card rule-result" aria-labelledby="result" role="status">
      <h2 id="result">{t('rules.tester.result')}</h2>
      <p class="rule-outcome">
        {action !== undefined && <ActionBadge action={action} />} <strong>{outcomeOf(place, test)}</strong>
      </p>
      <h3>{t('rules.tester.matches')}</h3>
      {matches.length === 0 ? (
        <p>{t('rules.tester.none')}</p>
      ) : (
        <ol class="rule-matches">
          {matches.map((match) => (
            <li class={match.role}>{matchedRule(place, match)}</li>
          ))}
        </ol>
      )}
      {(country !== undefined || asn !== undefined) && (
        <p class="help">
          {t('rules.tester.comparedWith', { country: country ?? unknown, asn: asn ?? unknown })}
        </p>
      )}
    </section>
  );
}

/** What happens to the request, in sentences. */
function outcomeOf({ scope, challenge }: RulePlace, { action, puzzle }: RuleTest): string {
  if (action?.kind === 'block') return t('rules.tester.blocked');
  if (action?.kind === 'allow') return t('rules.tester.allowed');
  if (puzzle !== undefined) {
    const { difficulty, level } = puzzle;
    const sentence = t('rules.tester.puzzle', { difficulty, level, ...timesOf(difficulty, challenge) });
    return action === undefined ? `${t('rules.tester.noRule')} ${sentence}` : sentence;
  }
  if (action?.kind === 'adjust') return t('rules.tester.adjusted', { levels: signedLevels(action.levels) });
  if (action?.kind === 'set') return t('rules.tester.fixed', { level: action.level });
  const follow = scope === 'installation' ? ` ${t('rules.tester.rulesOfPropertyFollow')}` : '';
  return `${t('rules.tester.noRule')}${follow}`;
}

function matchedRule(place: RulePlace, { scope, index, rule, role }: MatchedRule) {
  const isLinked = (scope === 'installation') === (place.scope === 'installation');
  const owner = scope === 'installation' ? 'ofInstallation' : 'ofProperty';
  return (
    <>
      {rule === undefined ? (
        <strong>{t('rules.tester.hidden')}</strong>
      ) : (
        <>
          <span class="soft">{t(`rules.tester.${owner}`, { number: index + 1 })}</span>{' '}
          {isLinked ? (
            <NameLink path={rulePath(place, rule)} name={rule.name} />
          ) : (
            <strong>
              <bdi>{rule.name}</bdi>
            </strong>
          )}{' '}
          <ActionBadge action={rule.action} />
          <span class="reason">
            <ConditionsSentence conditions={rule.conditions} />
          </span>
        </>
      )}
      <span class="reason soft">{t(`rules.tester.roles.${role}`)}</span>
    </>
  );
}
