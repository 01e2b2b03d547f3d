/** Part 3: the time it takes a fresh process to import the core, beside what it stands on. */

import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { fixed, median, medianRatio, printTable, verdict } from './table.mjs'

const run = promisify(execFile)
const goal = 1.3
const floor = new URL('./import/dependencies.mjs', import.meta.url).href

export async function benchImport({ builds, rounds = 25 }) {
  const contenders = [
    { name: 'zod + fast-json-patch', url: floor, times: [] },
    ...builds.map(({ name, url }) => ({ name, url: `${url}/index.js`, times: [] })),
  ]
  for (let round = -1; round < rounds; round++) {
    for (const { url, times } of contenders) {
      const time = await importTime(url)
      if (round >= 0) times.push(time)
    }
  }
  const rows = contenders.map(({ name, times }, index) => {
    const ratio = medianRatio(times, contenders[0].times)
    const judged = index === 0 ? ['', '', ''] : [fixed(ratio), `<= ${goal}`, verdict(ratio, goal)]
    return [name, fixed(median(times), 1), ...judged]
  })
  printTable('Import, ms in a fresh process', [['', 'median', 'ratio', 'goal', ''], ...rows])
}

async function importTime(url) {
  const script = `
    const before = performance.now()
    await import(${JSON.stringify(url)})
    console.log(performance.now() - before)`
  const { stdout } = await run(process.execPath, ['--input-type=module', '--eval', script])
  return Number(stdout)
}
