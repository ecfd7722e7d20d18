import { auditList } from './auditList.ts';
import { backup } from './backup/backup.ts';
import { restore } from './backup/restore.ts';
import type { Command } from './command.ts';
import { createCompletions } from './completions/completions.ts';
import { doctor } from './doctor/doctor.ts';
import { exportData } from './exports/export.ts';
import { importData } from './exports/import.ts';
import { healthcheck } from './healthcheck.ts';
import { createHelp } from './help.ts';
import { keyCreate } from './keys/keyCreate.ts';
import { keyEndOld } from './keys/keyEndOld.ts';
import { keyList } from './keys/keyList.ts';
import { keyRevoke } from './keys/keyRevoke.ts';
import { keyRotate } from './keys/keyRotate.ts';
import { keyRotateSigning } from './keys/keyRotateSigning.ts';
import { maintenance } from './maintenance.ts';
import { migrate } from './migrate.ts';
import { move } from './move.ts';
import { openapi } from './openapi.ts';
import { memberAdd, memberRemove } from './organizations/memberAdd.ts';
import { organizationCreate } from './organizations/organizationCreate.ts';
import { organizationList } from './organizations/organizationList.ts';
import { planList } from './plans/planList.ts';
import { planSet } from './plans/planSet.ts';
import { propertyBusiest } from './properties/propertyBusiest.ts';
import { propertyCreate } from './properties/propertyCreate.ts';
import { propertyDisable, propertyEnable } from './properties/propertyDisable.ts';
import { propertyList } from './properties/propertyList.ts';
import { ruleAdd } from './rules/ruleAdd.ts';
import { ruleMove, ruleRemove, ruleUpdate } from './rules/ruleChange.ts';
import { ruleList } from './rules/ruleList.ts';
import { ruleSet } from './rules/ruleSet.ts';
import { ruleTest } from './rules/ruleTest.ts';
import { serve } from './serve/serve.ts';
import { solve } from './solve.ts';
import { userCreate } from './users/userCreate.ts';
import { userDisable, userEnable } from './users/userDisable.ts';
import { userList } from './users/userList.ts';
import { userPasswd } from './users/userPasswd.ts';
import { userResetTwoFactor } from './users/userResetTwoFactor.ts';
import { userSetEmail } from './users/userSetEmail.ts';
import { userSetPlan } from './users/userSetPlan.ts';
import { userSignOut } from './users/userSignOut.ts';
import { version } from './version.ts';

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
