/** Runs Stryker with the options of the command line, such as `--mutate src/core/patch/json-patch.ts`. */

import { installIntegrations } from './integrations.js'
import { runCommand } from './run-command.js'

await installIntegrations()
await runCommand('stryker', ['run', ...process.argv.slice(2)])
