import { exceededLimit, REQUEST_LIMITS } from '../../lib/json.ts';
import { readRuleFile, toRuleDocument } from '../../model/rules/ruleDocument.ts';
import type { CountedRules } from '../../platform/rules/rules.ts';
import { FileField, type FormState, formState, TextArea } from '../components/field.tsx';
import { DownloadLink } from '../components/form.tsx';
import { t } from '../i18n/t.tsx';
import { fieldOf } from '../kit/forms.ts';
import type { PortalDeps } from '../kit/handler.ts';
import { accessLost, redirectWithNotice } from '../kit/pages.tsx';
import { RuleForm } from './ruleForm.tsx';
import { listErrorsOf } from './ruleFormData.ts';
import type { RulePlace } from './rulePlace.tsx';

/** Maximum size of a file in bytes: twice the limit of a list as compact JSON, for spaces and hits. */
const FILE_MAX_BYTES = 512 * 1024;
/** Maximum length of the text on the page, which keeps the page small. */
const TEXT_MAX_LENGTH = 64 * 1024;

/** `GET …/rules.json`: the rules as a file. */
export async function downloadRules(place: RulePlace, deps: PortalDeps) {
  const list = await deps.rules.list(place.visit.actor, place.scope);
  if (!list.ok) return accessLost(place.visit, list.problem);
  return new Response(textOf(list.value), {
    headers: {
      'Content-Type': 'application/json; charset=utf-8',
      'Content-Disposition': 'attachment; filename="rules.json"',
    },
  });
}

function textOf(list: CountedRules): string {
  return `${JSON.stringify(toRuleDocument(list), null, 2)}\n`;
}

/** The rules as text that can be changed. */
export async function showRuleFile(place: RulePlace, deps: PortalDeps, rejected?: FormState<string>) {
  const found = await deps.rules.list(place.visit.actor, place.scope);
  if (!found.ok) return accessLost(place.visit, found.problem);
  const { typed: text, errors } = rejected ?? formState(textOf(found.value));
  const isTooLarge = text.length > TEXT_MAX_LENGTH;
  const count = found.value.rules.length;
  const { path } = place;
  const tone = count > 0 ? 'danger' : 'main';
  const content = (
    <section class="card">
      <p>{t('rules.file.text')}</p>
      <p>
        <DownloadLink path={`${path}/rules.json`} text={t('rules.file.download')} />
      </p>
      <RuleForm place={place} action={`${path}/json`} button={t('rules.file.save')} tone={tone}>
        <div class="rule-json">
          <TextArea
            name="rules"
            label={t('rules.file.label')}
            help={t(isTooLarge ? 'rules.file.tooLarge' : 'rules.file.help')}
            value={isTooLarge ? '' : text}
            rows={24}
            isOptional
            isLiteral
            errors={errors}
          />
        </div>
        <FileField
          name="file"
          label={t('rules.file.upload')}
          help={t('rules.file.uploadHelp')}
          accept=".json,application/json"
          isOptional
        />
        {count > 0 && <p class="warning">{t('rules.file.warning', { count })}</p>}
      </RuleForm>
    </section>
  );
  return place.show({ title: t('rules.file.title'), content, errors });
}

/** Replaces all rules with those of the text, or of the file if there is one. */
export async function replaceRules(place: RulePlace, deps: PortalDeps) {
  const { visit, scope } = place;
  const { form, file } = visit;
  const text =
    file === undefined || file.length === 0 ? fieldOf(form, 'rules') : new TextDecoder().decode(file);
  const rejected = (...messages: readonly string[]) => {
    const errors = messages.map((message) => ({ field: 'rules', text: message }));
    return showRuleFile(place, deps, formState(text, errors));
  };
  const bytes = new TextEncoder().encode(text);
  if (bytes.length > FILE_MAX_BYTES) return rejected(t('rules.file.overLimit'));
  if (exceededLimit(bytes, REQUEST_LIMITS) !== undefined) return rejected(t('rules.file.tooComplex'));
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return rejected(t('rules.file.malformed', { reason: error instanceof Error ? error.message : '' }));
  }
  const given = readRuleFile(value);
  if (!given.ok) return rejected(...unknownErrors(given.unknown), t('rules.file.wrongShape'));
  const replaced = await deps.rules.replace(visit.actor, scope, given.rules, { revision: given.revision });
  if (!replaced.ok) return showRuleFile(place, deps, formState(text, listErrorsOf(replaced, 'rules')));
  const count = replaced.value.rules.length;
  return redirectWithNotice(deps, place.path, t('rules.replaced', { count }));
}

/** @param unknown the quoted name of an unknown member */
function unknownErrors(unknown: string | undefined): readonly string[] {
  return unknown === undefined ? [] : [t('rules.problems.member-unknown', { name: unknown })];
}
