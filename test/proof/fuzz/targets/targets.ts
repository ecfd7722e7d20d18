import type { Target } from '../engine/target.ts';
import { ADDRESS_TARGETS } from './addresses.ts';
import { BACKUP_TARGETS } from './backups.ts';
import { DIALECT_TARGETS } from './dialects.ts';
import { DOCUMENT_TARGETS } from './documents.ts';
import { FILE_TARGETS } from './files.ts';
import { FORM_TARGETS } from './forms.ts';
import { HEADER_TARGETS } from './headers.ts';
import { NAME_TARGETS } from './names.ts';
import { PUZZLE_TARGETS } from './puzzles.ts';
import { REQUEST_TARGETS } from './requests.ts';
import { RULE_TARGETS } from './rules.ts';
import { SETTING_TARGETS } from './settings.ts';

/** All targets, by subject. Import it after the instrumentation is installed. */
export const TARGETS: readonly Target[] = [
  ...PUZZLE_TARGETS,
  ...DIALECT_TARGETS,
  ...REQUEST_TARGETS,
  ...HEADER_TARGETS,
  ...FORM_TARGETS,
  ...ADDRESS_TARGETS,
  ...NAME_TARGETS,
  ...RULE_TARGETS,
  ...DOCUMENT_TARGETS,
  ...FILE_TARGETS,
  ...BACKUP_TARGETS,
  ...SETTING_TARGETS,
];
