/** Setup of every test file. Files share their modules, so hooks of modules are registered here. */

import { resolve } from 'node:path'
import { setPropertySeed } from './arbitraries/property-seed.js'
import { checkResponses } from './http/checked-handlers.js'
import { restorePlatformClasses } from './http/platform-classes.js'

restorePlatformClasses()
checkResponses()
setPropertySeed()

// Processes that tests start load the sources in half the time. Vitest disables the cache, because
// coverage cannot be measured with it. It is not measured in these processes.
delete process.env['NODE_DISABLE_COMPILE_CACHE']
process.env['NODE_COMPILE_CACHE'] = resolve('node_modules/.cache/node')
