import type { UserActor } from '../../model/actor.ts';
import type { Problem } from '../../model/problems.ts';
import type { TaskId, TaskOrder, TaskResult } from '../../model/task.ts';
import type { Tasks } from '../../platform/properties/tasks.ts';
import { type FormState, formState } from '../components/field.tsx';
import { Card } from '../components/sections.tsx';
import { rich, t } from '../i18n/t.tsx';
import { fieldErrorOf, fieldOf } from '../kit/forms.ts';
import type { PortalDeps } from '../kit/handler.ts';
import type { TypedProperty } from './propertyFormData.ts';

/** The result of a change of one property. */
type PropertyTaskResult =
  | { readonly kind: 'done'; readonly result: TaskResult }
  | { readonly kind: 'rejected'; readonly problem: Problem }
  /** The page has stopped waiting. The task continues. */
  | { readonly kind: 'waiting' };

/**
 * Changes one property through a task of one item, so that the rules for names, domains, quotas, and permissions are those of the
 * Platform API.
 *
 * @param order with one item
 */
export async function changeProperty(
  deps: Pick<PortalDeps, 'taskFinished'> & { readonly tasks: Pick<Tasks, 'start' | 'byId'> },
  actor: UserActor,
  order: TaskOrder,
): Promise<PropertyTaskResult> {
  const started = await deps.tasks.start(actor, order);
  if (!started.ok) return { kind: 'rejected', problem: started.problem };
  const results = await awaitTask(deps, actor, started.value);
  const result = results?.[0];
  if (result === undefined) return { kind: 'waiting' };
  const { problem } = result;
  return problem === undefined ? { kind: 'done', result } : { kind: 'rejected', problem };
}

/** Waits for a task as long as a page can wait. @returns its results; undefined if it is not finished */
export async function awaitTask(
  deps: Pick<PortalDeps, 'taskFinished'> & { readonly tasks: Pick<Tasks, 'byId'> },
  actor: UserActor,
  id: TaskId,
): Promise<readonly TaskResult[] | undefined> {
  const finished = deps.taskFinished(id);
  const read = async () => {
    const task = await deps.tasks.byId(actor, id);
    return task.ok ? task.value.results : undefined;
  };
  // The first read finds a task that finished before the wait began, and the last read a task that another process finished.
  return (await read()) ?? (await finished) ?? (await read());
}

/** Adds that a URL was reduced to its host. */
export function noticeFor({ url }: TypedProperty, notice: string): string {
  if (url === '') return notice;
  const shown = url.length <= NOTICE_URL_MAX ? url : `${url.slice(0, NOTICE_URL_MAX)}…`;
  return `${notice} ${t('properties.form.reduced', { url: shown })}`;
}

/** Cookies have limited sizes. */
const NOTICE_URL_MAX = 200;

/** A form for a property. */
export type PropertyForm = FormState<TypedProperty> & {
  /** The domain that the DNS check rejected. */
  readonly unresolved?: { readonly domain: string; readonly problem: Problem };
};

/** The button that skips the DNS check. Its value is the domain that the warning was about. */
const SKIP_FIELD = 'accept_unresolved';

/** Top-level domains that never resolve in public DNS (RFC 2606 section 2, RFC 6761 section 6). */
const RESERVED = ['test', 'example', 'invalid'];

/** Whether the user skipped the DNS check for exactly this domain; a domain entered after the warning is checked again. */
export function skipsCheckOf(form: URLSearchParams, domain: string): boolean {
  return fieldOf(form, SKIP_FIELD) === domain;
}

/** @param button the text of the button in `DomainWarning` */
export function rejectedForm(
  typed: TypedProperty,
  problem: Problem,
  domain: string,
  button: string,
): PropertyForm {
  const error = fieldErrorOf(problem);
  if (problem !== 'domain-unresolved' && problem !== 'dns-unanswered') return formState(typed, [error]);
  const skip = { field: SKIP_FIELD, text: t('properties.dns.skip', { button }) };
  return { ...formState(typed, [error, skip]), unresolved: { domain, problem } };
}

/** Explains a rejection by the DNS check and offers to continue. Must follow the form's own button, because the Enter key presses the first one. */
export function DomainWarning(props: {
  readonly form: PropertyForm;
  /** The text of the button that continues. */
  readonly button: string;
}) {
  const { unresolved } = props.form;
  if (unresolved === undefined) return <></>;
  const { domain, problem } = unresolved;
  const reason = problem === 'dns-unanswered' ? 'unanswered' : 'unresolved';
  return (
    <Card title={t('properties.dns.title')}>
      <p>
        {rich(`properties.dns.${reason}`, { code: () => <code>{domain}</code> })} {t('properties.dns.advice')}
      </p>
      <p class="help">
        {reservedNote(domain)}{' '}
        {rich('properties.dns.settings', {
          check: () => <code>POSTERN_DNS_CHECK=off</code>,
          servers: () => <code>POSTERN_DNS_SERVERS</code>,
        })}
      </p>
      <p>
        <button type="submit" class="quiet" id={SKIP_FIELD} name={SKIP_FIELD} value={domain}>
          {props.button}
        </button>
      </p>
    </Card>
  );
}

function reservedNote(domain: string) {
  const top = domain.slice(domain.lastIndexOf('.') + 1);
  const example = () => <code>example.com</code>;
  if (RESERVED.includes(top))
    return rich('properties.dns.reserved', { code: () => <code>.{top}</code>, example });
  return rich('properties.dns.example', {
    example,
    test: () => <code>.test</code>,
    reserved: () => <code>.example</code>,
    invalid: () => <code>.invalid</code>,
  });
}
