import type { KnipConfig } from 'knip'
import { entryPoints } from './scripts/entry-points.ts'

export default {
  entry: [
    ...entryPoints().map(({ source }) => source),
    'src/page/browser/main.tsx',
    'site/playground/main.tsx',
    'bench/*.ts',
    'bench/{http,in-process}/*.ts',
    'scripts/{test-*,page-images}.ts',
    'reliability/*.ts',
    'reliability/*/*-process.ts',
    'examples/**/*.{ts,mjs}',
    'test/package/*',
    'test/runtimes/*.mjs',
    'test/frameworks/**/*.ts',
    'test/support/arbitraries/short-properties.ts',
    'test/support/stores/{d1-contract-worker,run-driver,sqlite-*}.ts',
  ],
  project: ['{bench,examples,reliability,scripts,site,src,test}/**/*.{ts,tsx,mjs,cjs}'],
  // The theme of scripts/site/plugin.ts, which is not a package.
  ignoreUnresolved: ['site'],
  ignoreDependencies: [
    '@arethetypeswrong/cli',
    '@prisma/adapter-pg',
    'publint',
    'axe-core',
    'bun',
    'deno',
    'express4',
    'jest',
    'miniflare',
    'koa2',
    'workerd',
  ],
  ignoreBinaries: ['openssl', 'patroni', 'pgbouncer', 'script', 'ssh-keygen', 'strace', 'unshare'],
} satisfies KnipConfig
