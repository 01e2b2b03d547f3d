import type { KnipConfig } from 'knip'
import { entryPoints } from './scripts/entry-points.ts'

export default {
  entry: [
    ...entryPoints().map(({ source }) => source),
    'bench/*.ts',
    'bench/{http,in-process}/*.ts',
    'scripts/test-*.ts',
    'reliability/*.ts',
    'reliability/*/*-process.ts',
    'examples/**/*.{ts,mjs}',
    'test/package/*',
    'test/runtimes/*.mjs',
    'test/frameworks/**/*.ts',
    'test/support/arbitraries/short-properties.ts',
    'test/support/stores/{d1-contract-worker,sqlite-*}.ts',
  ],
  project: ['{bench,examples,reliability,scripts,src,test}/**/*.{ts,mjs,cjs}'],
  ignoreDependencies: [
    '@arethetypeswrong/cli',
    'publint',
    'bun',
    'deno',
    'express4',
    'jest',
    'miniflare',
    'koa2',
    'next',
    'react',
    'react-dom',
    'workerd',
  ],
  ignoreBinaries: ['ssh-keygen', 'strace'],
} satisfies KnipConfig
