/** Part 1: the operations in process on the memory store, beside their floors. */

import { startChild } from './child.mjs'
import { fixed, median, medianRatio, printTable, verdict } from './table.mjs'

const goals = { create: 1.4, replace: 1.3, patch: 1.3, file: 1.2 }
const count = 10_000
const worker = new URL('./in-process/worker.mjs', import.meta.url)
const module = (name) => new URL(`./in-process/${name}.mjs`, import.meta.url).href

export async function benchInProcess({ builds, operations, rounds = 5, profile }) {
  const contenders = [
    { name: 'floor', args: [module('floor')] },
    ...builds.map(({ name, url }) => ({ name, args: [module('ours'), url] })),
  ].map(({ name, args }) => {
    const flags = profile ? ['--cpu-prof', `--cpu-prof-dir=${profile}/in-process-${name}`] : []
    return { name, child: startChild(worker, args, flags) }
  })
  try {
    return await measure(contenders, operations, rounds)
  } finally {
    for (const { child } of contenders) await child.stop()
  }
}

async function measure(contenders, operations, rounds) {
  for (const { child } of contenders) await child.ask('verify')
  const slices = operations.flatMap((operation) =>
    operation === 'create'
      ? [{ operation, mode: 'cold' }]
      : [
          { operation, mode: 'cold' },
          { operation, mode: 'warm' },
        ],
  )
  const costs = new Map()
  for (let round = -2; round < rounds; round++) {
    for (const slice of slices) {
      for (const { name, child } of contenders) {
        const cost = await child.ask('slice', { ...slice, count: round < 0 ? 3 * count : count })
        const key = `${name} ${slice.operation} ${slice.mode}`
        if (round >= 0) costs.set(key, [...(costs.get(key) ?? []), cost])
      }
    }
  }
  for (const { name } of contenders.slice(1)) report(name, operations, costs)
}

function report(name, operations, costs) {
  const rows = operations.map((operation) => {
    const [floor, ours] = ['floor', name].map((who) => costs.get(`${who} ${operation} cold`))
    const warm = ['floor', name].map((who) => costs.get(`${who} ${operation} warm`))
    const ratio = medianRatio(ours, floor)
    return [
      operation,
      fixed(median(floor), 1),
      fixed(median(ours), 1),
      fixed(ratio),
      `<= ${fixed(goals[operation], 1)}`,
      verdict(ratio, goals[operation]),
      ...(warm[0] ? [fixed(median(warm[1]), 1), fixed(medianRatio(warm[1], warm[0]))] : ['', '']),
    ]
  })
  const head = ['', 'floor', name, 'ratio', 'goal', '', 'warm', 'ratio']
  printTable('In process, CPU µs an operation; cold unless said', [head, ...rows])
}
