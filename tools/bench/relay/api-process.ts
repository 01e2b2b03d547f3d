/** A process with an API that repeats the key, and a relay to it. */

import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { handleRequests } from '../child-process.js'
import { loadBuild } from '../load-build.js'

/** The requests to the process. */
export type ApiRequests = {
  /** Starts the API, and returns its origin. */
  startApi(): Promise<string>
  /** Starts the relay to the API of this origin, and returns its origin. */
  startRelay(apiOrigin: string): Promise<string>
  /** Returns the microseconds of CPU that the process has used. */
  cpuUsage(): number
}

const [, , url = ''] = process.argv

function listen(listener: Parameters<typeof createServer>[1]): Promise<string> {
  const server = createServer(listener)
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => {
      resolve(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
    })
  })
}

handleRequests<ApiRequests>({
  startApi: () =>
    listen(({ headers }, response) => {
      response.setHeader('content-type', 'application/json')
      response.end(JSON.stringify({ key: headers.authorization, text: 'x'.repeat(1024) }))
    }),
  async startRelay(apiOrigin) {
    const build = loadBuild(url)
    const { createSecretFetch, createSecretRelay } = await build.use()
    const { createNodeListener } = await build.node()
    const { createCaller } = await build.core()
    const found = {
      value: 'sk_live_51HqLyjWDarjtT1zdp7dcXyZ01234567',
      origins: ['https://api.test'],
    }
    const caller = createCaller({ id: 'bench', vaults: '*' })
    const relay = createSecretRelay(
      (_, fetch) =>
        createSecretFetch((_reference, _target, next) => next(async () => found), { fetch }),
      {
        authenticate: () => caller,
        // A relay sends by https only.
        fetch: (target, init) => fetch(target.replace('https://api.test', apiOrigin), init),
      },
    )
    return listen(createNodeListener(relay))
  },
  cpuUsage() {
    const { user, system } = process.cpuUsage()
    return user + system
  },
})
