import { describe, expect, it } from 'vitest'
import { compileErrors } from '../support/source/compiler.js'

const mounts = `
import express from 'express'
import { createServer } from 'node:http'
import * as http2 from 'node:http2'
import * as https from 'node:https'
import type { HttpHandler } from 'cofferkit/http'
import { createNodeListener } from 'cofferkit/node'

export function mount(api: HttpHandler): void {
  const listener = createNodeListener(api)
  createServer(listener)
  createServer({}, listener).on('request', listener)
  https.createServer({}, listener)
  http2.createServer(listener)
  http2.createServer({}, listener).on('request', listener)
  http2.createSecureServer({ allowHTTP1: true }, listener)
  express().use('/secrets', listener)
  express().use((req, res) => listener(req, res))
}
`

describe('createNodeListener types', () => {
  it('fits every server of Node, and Express', () => {
    expect(compileErrors(new Map([['mounts.ts', mounts]]))).toEqual([])
  })
})
