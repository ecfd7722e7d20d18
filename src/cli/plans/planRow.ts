import type { Plan } from '../../model/plan.ts';
import type { Row } from '../output.ts';

/** The fields that commands print for a plan. */
export function toPlanRow({ name, organizations, properties }: Plan): Row {
  return { name, orgs: organizations, properties };
}
