import { backup, restore } from './backup.ts';
import type { Command } from './command.ts';
import { createCompletions } from './completions/completions.ts';
import { doctor } from './doctor/doctor.ts';
import { exportData } from './exports/export.ts';
import { importData } from './exports/import.ts';
import { healthcheck } from './healthcheck.ts';
import { createHelp, version } from './help.ts';
import { auditList, maintenance, migrate } from './installation.ts';
import { keyCreate, keyEndOld, keyList, keyRevoke, keyRotate, keyRotateSigning } from './keys.ts';
import { move } from './move.ts';
import { openapi } from './openapi.ts';
import { memberAdd, memberRemove, organizationCreate, organizationList } from './organizations.ts';
import { planList, planSet } from './plans.ts';
import {
  propertyBusiest,
  propertyCreate,
  propertyDisable,
  propertyEnable,
  propertyList,
} from './properties.ts';
import { ruleAdd, ruleList, ruleMove, ruleRemove, ruleSet, ruleTest, ruleUpdate } from './rules.ts';
import { serve } from './serve/serve.ts';
import { solve } from './solve.ts';
import {
  userCreate,
  userDisable,
  userEnable,
  userList,
  userPasswd,
  userResetTwoFactor,
  userSetEmail,
  userSetPlan,
  userSignOut,
} from './users.ts';

/** Every command, in the order of `postern help`. */
export const COMMANDS: readonly Command[] = [
  serve,
  userCreate,
  userList,
  userPasswd,
  userSetEmail,
  userSignOut,
  userResetTwoFactor,
  userSetPlan,
  userDisable,
  userEnable,
  keyCreate,
  keyList,
  keyRevoke,
  keyRotate,
  keyEndOld,
  keyRotateSigning,
  organizationCreate,
  organizationList,
  memberAdd,
  memberRemove,
  propertyCreate,
  propertyList,
  propertyBusiest,
  propertyEnable,
  propertyDisable,
  ruleList,
  ruleSet,
  ruleAdd,
  ruleUpdate,
  ruleMove,
  ruleRemove,
  ruleTest,
  planList,
  planSet,
  auditList,
  maintenance,
  migrate,
  exportData,
  importData,
  backup,
  restore,
  move,
  solve,
  healthcheck,
  doctor,
  openapi,
  version,
  createCompletions(() => COMMANDS),
  createHelp(() => COMMANDS),
];
