import { describe, expect, it } from 'vitest'
import { createNodeListener } from '../../../src/adapters/node.js'
import { listen } from '../../../src/command/serve/listen.js'
import { createTestVault } from '../../support/http/checked-handlers.js'
import { vaultUrl } from '../../support/http/requests.js'
import { statuses } from '../../support/http/unread-bodies.js'
import { inTime, readUntilClosed, sendRaw } from '../../support/http/wire.js'

const local = { host: '127.0.0.1', port: 0 }

describe('listen', () => {
  it('does not ask for a body before the token is checked', async () => {
    const vault = await createTestVault()
    const { origin, stop } = await listen(createNodeListener(vault.handler), local)
    const lines = [`POST ${vaultUrl(vault, '/items')} HTTP/1.1`, 'expect: 100-continue']
    const socket = await sendRaw(origin, [...lines, 'content-length: 100'])
    expect(statuses(await inTime('closing', readUntilClosed(socket)))).toEqual(['401'])
    await inTime('stopping', stop())
  })
})
