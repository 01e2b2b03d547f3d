import type { KnipConfig } from 'knip'
import integrations from './test/integrations/package.json' with { type: 'json' }
import { entryPoints } from './tools/scripts/entry-points.ts'
import site from './tools/site/package.json' with { type: 'json' }

export default {
  entry: [
    ...entryPoints().map(({ source }) => source),
    'src/page/browser/main.tsx',
    'tools/bench/{guard,run}.ts',
    'tools/bench/http/{bare,cofferkit,express,fastify,server-process}.ts',
    'tools/bench/in-process/{baseline,cofferkit,contender-process}.ts',
    'tools/bench/relay/api-process.ts',
    'tools/scripts/test-*.ts',
    'tools/reliability/*.ts',
    'tools/reliability/*/*-process.ts',
    'tools/site/.vitepress/{config,theme/index}.ts',
    'examples/**/*.{ts,mjs}',
    'test/package/**/*',
    'test/runtimes/*.mjs',
    'test/frameworks/**/*.ts',
    'test/support/arbitraries/short-properties.ts',
    'test/integrations/support/kms-packages.ts',
    'test/integrations/support/source/{app-of-reader.ts,bundle.ts,register-bundle.mjs}',
    'test/integrations/support/stores/{d1-contract-worker,run-driver,sqlite-*}.ts',
  ],
  project: ['{examples,src,test,tools}/**/*.{ts,tsx,mjs,cjs}'],
  ignoreDependencies: [
    '@arethetypeswrong/cli',
    'publint',
    // Of test/integrations, which is no workspace: examples use them, too.
    ...Object.keys(integrations.devDependencies),
    ...Object.keys(site.devDependencies),
    'vue',
  ],
  ignoreBinaries: ['openssl', 'pgbouncer', 'script', 'unshare'],
} satisfies KnipConfig
