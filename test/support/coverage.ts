/**
 * Coverage provider: V8's, in the workers of the project `unit` only. The tests of the other project
 * load much more code, and would take twice as long with it.
 */

import v8 from '@vitest/coverage-v8'
import type { CoverageProviderModule } from 'vitest/node'

const isCovered = process.env['COVERED_PROJECT'] === '1'

const provider: CoverageProviderModule = {
  getProvider: () => v8.getProvider(),
  startCoverage: (options) => (isCovered ? v8.startCoverage?.(options) : undefined),
  takeCoverage: (options) => (isCovered ? v8.takeCoverage?.(options) : undefined),
  stopCoverage: (options) => (isCovered ? v8.stopCoverage?.(options) : undefined),
}

// biome-ignore lint/style/noDefaultExport: Vitest requires it.
export default provider
