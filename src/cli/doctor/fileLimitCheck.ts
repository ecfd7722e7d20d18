import { FILE_LIMIT_FIX, RECOMMENDED_FILES, REQUIRED_FILES, readFileLimit } from '../fileLimit.ts';
import { type Check, failed, passed, warning } from './check.ts';

/** Checks how many files, which include connections, this process can open. The limit of a service may differ. */
export function checkFileLimit(): Check {
  const name = 'file-limit';
  const limit = readFileLimit();
  if (limit === undefined) return passed(name, 'not known on this system, or unlimited');
  const detail = `${limit} open files and connections`;
  if (limit < REQUIRED_FILES)
    return failed(name, `${detail}; a server needs ${REQUIRED_FILES}`, FILE_LIMIT_FIX);
  if (limit >= RECOMMENDED_FILES) return passed(name, detail);
  return warning(name, `${detail}; the recommended limit is ${RECOMMENDED_FILES}`, FILE_LIMIT_FIX);
}
