/** A process that is one server, and tells its parent what it has cost so far. */

import { answerParent } from '../child.mjs'
import { itemCount } from '../sample.mjs'

const [, , name, build] = process.argv
const { startServer } = await import(`./${name}.mjs`)
const { listener, server, places } = await startServer(itemCount, build)
const listening = server ?? (await import('node:http')).createServer(listener)
await new Promise((resolve) => listening.listen(0, '127.0.0.1', resolve))

answerParent({
  start: () => ({ port: listening.address().port, itemIds: places }),
  cpu: () => {
    const { user, system } = process.cpuUsage()
    return user + system
  },
})
