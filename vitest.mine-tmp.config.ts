import { defineConfig } from 'vitest/config'
export default defineConfig({ resolve: { tsconfigPaths: true }, test: { setupFiles: ['./setup.mine-tmp.ts'], testTimeout: 60_000, include: (process.env.MINE_TESTS ?? '').split(',') } })
