import { backupCommands } from './backup.ts';
import type { Command } from './command.ts';
import { createCompletions } from './completions/completions.ts';
import { doctor } from './doctor/doctor.ts';
import { exportData } from './exports/export.ts';
import { importData } from './exports/import.ts';
import { healthcheck } from './healthcheck.ts';
import { createHelp, version } from './help.ts';
import { installationCommands } from './installation.ts';
import { keyCommands } from './keys.ts';
import { move } from './move.ts';
import { openapi } from './openapi.ts';
import { organizationCommands } from './organizations.ts';
import { planCommands } from './plans.ts';
import { propertyCommands } from './properties.ts';
import { ruleCommands } from './rules.ts';
import { serve } from './serve/serve.ts';
import { solve } from './solve.ts';
import { userCommands } from './users.ts';

/** Every command, in the order of `postern help`. */
export const COMMANDS: readonly Command[] = [
  serve,
  ...userCommands,
  ...keyCommands,
  ...organizationCommands,
  ...propertyCommands,
  ...ruleCommands,
  ...planCommands,
  ...installationCommands,
  exportData,
  importData,
  ...backupCommands,
  move,
  solve,
  healthcheck,
  doctor,
  openapi,
  version,
  createCompletions(() => COMMANDS),
  createHelp(() => COMMANDS),
];
