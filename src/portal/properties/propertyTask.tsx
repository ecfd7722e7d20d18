import type { UserActor } from '../../model/actor.ts';
import type { Problem } from '../../model/problems.ts';
import type { TaskId, TaskOrder, TaskResult } from '../../model/task.ts';
import type { Tasks } from '../../platform/properties/tasks.ts';
import { Card } from '../components/card.tsx';
import type { FieldErrors } from '../components/field.tsx';
import { rich } from '../i18n/rich.tsx';
import { t } from '../i18n/t.ts';
import { fieldOf } from '../kit/formData.ts';
import type { PortalDeps } from '../kit/handler.ts';
import { fieldErrorOf } from '../kit/messages.ts';
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
  return url === '' ? notice : `${notice} ${t('properties.form.reduced', { url: shortened(url) })}`;
}

/** Cookies have limited sizes. */
const NOTICE_URL_MAX = 200;

function shortened(url: string): string {
  return url.length <= NOTICE_URL_MAX ? url : `${url.slice(0, NOTICE_URL_MAX)}…`;
}

/** The rejection of a form for a property. */
export type PropertyRejection = {
  readonly errors: FieldErrors;
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
export function rejectionOf(problem: Problem, domain: string, button: string): PropertyRejection {
  const error = fieldErrorOf(problem);
  if (problem !== 'domain-unresolved' && problem !== 'dns-unanswered') return { errors: [error] };
  const skip = { field: SKIP_FIELD, text: t('properties.dns.skip', { button }) };
  return { errors: [error, skip], unresolved: { domain, problem } };
}

/** Explains a rejection by the DNS check and offers to continue. Must follow the form's own button, because the Enter key presses the first one. */
export function DomainWarning(props: {
  readonly rejection: PropertyRejection;
  /** The text of the button that continues. */
  readonly button: string;
}) {
  const { button } = props;
  const { unresolved } = props.rejection;
  if (unresolved === undefined) return <></>;
  const { domain, problem } = unresolved;
  const code = () => <code>{domain}</code>;
  return (
    <Card title={t('properties.dns.title')}>
      <p>
        {problem === 'dns-unanswered'
          ? rich('properties.dns.unanswered', { code })
          : rich('properties.dns.unresolved', { code })}{' '}
        {t('properties.dns.advice')}
      </p>
      <p class="help">
        <ReservedNote domain={domain} />{' '}
        {rich('properties.dns.settings', {
          check: () => <code>POSTERN_DNS_CHECK=off</code>,
          servers: () => <code>POSTERN_DNS_SERVERS</code>,
        })}
      </p>
      <p>
        <button type="submit" class="quiet" id={SKIP_FIELD} name={SKIP_FIELD} value={domain}>
          {button}
        </button>
      </p>
    </Card>
  );
}

function ReservedNote({ domain }: { readonly domain: string }) {
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
