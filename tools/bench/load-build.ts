/** Imports the entry points of a build of the package. */

/** A build of the package. */
export interface Build {
  readonly name: string
  /** `file:` URL of its folder. */
  readonly url: string
}

/** The entry points that the bench uses. */
export interface LoadedBuild {
  core(): Promise<typeof import('cofferkit')>
  memory(): Promise<typeof import('cofferkit/memory')>
  sqlite(): Promise<typeof import('cofferkit/sqlite')>
  postgres(): Promise<typeof import('cofferkit/postgres')>
  encrypted(): Promise<typeof import('cofferkit/encrypted')>
  seal(): Promise<typeof import('cofferkit/seal')>
  http(): Promise<typeof import('cofferkit/http')>
  tokens(): Promise<typeof import('cofferkit/tokens')>
  node(): Promise<typeof import('cofferkit/node')>
  references(): Promise<typeof import('cofferkit/references')>
  use(): Promise<typeof import('cofferkit/use')>
}

/** The build in the folder with this `file:` URL. Each entry point is imported when it is called. */
export function loadBuild(url: string): LoadedBuild {
  return {
    core: () => import(`${url}/index.js`),
    memory: () => import(`${url}/memory.js`),
    sqlite: () => import(`${url}/sqlite.js`),
    postgres: () => import(`${url}/postgres.js`),
    encrypted: () => import(`${url}/encrypted.js`),
    seal: () => import(`${url}/seal.js`),
    http: () => import(`${url}/http.js`),
    tokens: () => import(`${url}/tokens.js`),
    node: () => import(`${url}/node.js`),
    references: () => import(`${url}/references.js`),
    use: () => import(`${url}/use.js`),
  }
}
