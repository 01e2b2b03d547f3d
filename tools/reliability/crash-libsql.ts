/**
 * Shows that a crash of a libSQL server loses nothing that was acknowledged. The server is killed
 * with SIGKILL under twelve writers again and again. After each restart the vault is compared with
 * the journal of what was written. Unacknowledged writes may be present or not. The server does not
 * sync its log before it acknowledges. The negative control, in which the log is lost with the
 * process, as in a loss of power, must be caught.
 *
 * `npm run prove -- crash-libsql [--short] [--encrypted] [--cycles 200] [--seed 1]`
 */

import { libsqlKind } from './crash-server/libsql-kind.js'
import { proveCrashes } from './crash-server/prove-crashes.js'

await proveCrashes(libsqlKind)
