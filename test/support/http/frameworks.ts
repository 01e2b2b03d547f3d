/** The versions of frameworks that have a mount: the current one, and in `npm run test:all` the one before. */

import express from 'express'
import { fastify } from 'fastify'
import Koa from 'koa'
import { loadIntegration, runAll } from '../run-all.js'

// @types/koa uses a type that content-disposition 2 no longer has.
declare module 'content-disposition' {
  interface Options extends CreateOptions {}
}

/** A framework in the versions of its package, by names such as `Koa 3`. */
type Versions<Framework> = readonly (readonly [name: string, framework: Framework])[]

export const expressVersions = versionsOf(['Express 5', express], ['Express 4', 'express4'])
export const koaVersions = versionsOf(['Koa 3', Koa], ['Koa 2', 'koa2'])
export const fastifyVersions = versionsOf(['Fastify 5', fastify], ['Fastify 4', 'fastify4'])

/** The older version has the same types, as far as tests use it. */
function versionsOf<Framework>(
  current: Versions<Framework>[number],
  [name, older]: readonly [name: string, older: string],
): Versions<Framework> {
  return runAll ? [[name, loadIntegration(older)], current] : [current]
}
