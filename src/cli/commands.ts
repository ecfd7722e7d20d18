import { listAudit } from './audit.ts';
import type { Command } from './command.ts';
import { doctor } from './doctor.ts';
import { healthcheck } from './healthcheck.ts';
import { createHelp } from './help.ts';
import { createKey, listKeys, revokeKey, rotateKey, rotateSigningKey } from './keys.ts';
import { maintenance } from './maintenance.ts';
import { openapi } from './openapi.ts';
import { addMember, createOrganization, listOrganizations, removeMember } from './orgs.ts';
import { chooseUserPlan, listPlans, setPlan } from './plans.ts';
import { createProperty, disableProperty, enableProperty, listProperties } from './properties.ts';
import { serve } from './serve.ts';
import { solve } from './solve.ts';
import {
  createUser,
  disableUser,
  enableUser,
  listUsers,
  resetSecondFactor,
  setPassword,
  signOutUsers,
} from './users.ts';
import { version } from './version.ts';

/** Every command there is, in the order in which help shows them. */
export const COMMANDS: readonly Command[] = [
  serve,
  ...[
    createUser,
    listUsers,
    setPassword,
    signOutUsers,
    resetSecondFactor,
    chooseUserPlan,
    disableUser,
    enableUser,
  ],
  ...[createKey, listKeys, revokeKey, rotateKey, rotateSigningKey],
  ...[createOrganization, listOrganizations, addMember, removeMember],
  ...[createProperty, listProperties, enableProperty, disableProperty],
  ...[listPlans, setPlan],
  ...[listAudit, maintenance, solve, healthcheck, doctor, openapi, version],
  createHelp(() => COMMANDS),
];
