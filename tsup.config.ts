import { defineConfig, type Options } from 'tsup'

/** Subpath -> source: the same table as `exports` in package.json and `paths` in tsconfig.json. */
const entry = {
  index: 'src/index.ts',
  memory: 'src/storage/memory.ts',
  sqlite: 'src/storage/sqlite.ts',
  postgres: 'src/storage/postgres.ts',
  encrypted: 'src/storage/encrypted.ts',
  connect: 'src/dialects/connect.ts',
  http: 'src/http.ts',
  fetch: 'src/adapters/fetch.ts',
  node: 'src/adapters/node.ts',
  express: 'src/adapters/express.ts',
  koa: 'src/adapters/koa.ts',
  fastify: 'src/adapters/fastify.ts',
  hono: 'src/adapters/hono.ts',
  jwt: 'src/auth/jwt.ts',
  tokens: 'src/auth/tokens.ts',
  testing: 'src/testing.ts',
}

const common: Options = {
  target: 'es2023',
  platform: 'neutral',
  external: [/^node:/],
  removeNodeProtocol: false,
  sourcemap: true,
}

/** Relative imports stay imports, so that all CommonJS entries share one copy of each module. */
const keepRelativeImports: NonNullable<Options['esbuildPlugins']>[number] = {
  name: 'keep-relative-imports',
  setup(build) {
    build.onResolve({ filter: /^\.{1,2}\// }, ({ kind, path }) =>
      kind === 'entry-point' ? undefined : { path: path.replace(/\.js$/, '.cjs'), external: true },
    )
  },
}

export default defineConfig([
  { ...common, entry, format: 'esm', splitting: true },
  {
    ...common,
    platform: 'node',
    entry: ['src/**/*.ts'],
    outDir: 'dist/cjs',
    format: 'cjs',
    splitting: false,
    esbuildPlugins: [keepRelativeImports],
  },
  { ...common, entry, format: ['esm', 'cjs'], dts: { only: true } },
])
