/**
 * Checks everything that a release requires besides its tests. `npm run check -- size` runs one
 * step, `npm run check -- lint unused` two. `package`, `size` and `guard` check the build in `dist/`,
 * which `build` makes.
 */

import { runCommand } from './run-command.js'
import { runSteps } from './run-steps.js'

await runSteps(
  {
    types: () => runCommand('tsc', ['-p', '.']),
    lint: () => runCommand('npm', ['run', 'lint']),
    // Its hints on the packages of test/integrations depend on whether these are installed.
    unused: () => runCommand('knip', ['--no-config-hints']),
    build: () => runCommand('npm', ['run', 'build']),
    async package() {
      await runCommand('publint', ['--strict'])
      await runCommand('attw', ['--pack', '.'])
    },
    size: () => runCommand('npm', ['run', 'size']),
    guard: () => runCommand('npm', ['run', 'guard']),
  },
  process.argv.slice(2),
)
