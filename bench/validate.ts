import { openGraphTools } from '#graph/expressions/graph-tools.ts'
import { validateGraph } from '#graph/validation/validate.ts'
import { median } from './process.ts'
import type { Row } from './report.ts'

const sizes = [10, 50, 100, 200]
const rounds = 400

/** Layers of merges and transforms with five connections per node, as dense as the limits allow. */
function graph(nodeCount: number) {
  const nodes: object[] = []
  const connections: object[] = [{ source: `n${nodeCount - 2}`, target: 'out' }]
  for (let i = 0; i < nodeCount - 1; i++) {
    const id = `n${i}`
    if (i < 6) nodes.push({ id, type: 'input.text', data: { label: `Input ${i}` } })
    else if (i % 4 === 0)
      nodes.push({ id, type: 'json.transform', data: { expression: `$string(${i})` } })
    else nodes.push({ id, type: 'flow.merge', data: { mode: 'list' } })
    if (i < 6) continue
    // Reserves one connection for each of the remaining nodes.
    const left = 1000 - connections.length - (nodeCount - 2 - i)
    const wires = i % 4 === 0 ? 1 : Math.min(6 + (i % 3), i, left)
    for (let k = 1; k <= wires; k++) {
      const target = i % 4 === 0 ? { targetHandle: 'input' } : { targetHandle: 'in' }
      connections.push({ source: `n${i - k}`, target: id, ...target })
    }
  }
  nodes.push({ id: 'out', type: 'output', data: {} })
  return { nodes, connections }
}

export async function benchValidate(): Promise<Row[]> {
  const tools = openGraphTools()
  const env = {
    models: () => undefined,
    load: async () => [],
    selfId: null,
    checkExpressions: (texts: readonly string[]) => tools.checkExpressions('bench', texts),
    checkSchemas: (checks: readonly { schema: object; value?: unknown }[]) =>
      tools.checkSchemas('bench', checks),
    findCredentials: async () => [],
  }
  const times = new Map<number, number[]>()
  let connections = 0
  for (const size of sizes) {
    const data = graph(size)
    connections = data.connections.length
    const readings: number[] = []
    for (let i = 0; i < rounds * 1.25; i++) {
      const startedAt = performance.now()
      const { validation } = await validateGraph(data, env)
      if (i >= rounds * 0.25) readings.push(performance.now() - startedAt)
      if (!validation.valid) throw new Error(JSON.stringify(validation.errors[0]))
    }
    times.set(
      size,
      readings.toSorted((a, b) => a - b),
    )
  }
  await tools.close()
  const p = (size: number, q: number) => times.get(size)?.[Math.floor(rounds * q)] ?? 0
  const perNode = sizes.map((size) => (median(times.get(size) ?? []) / size) * 1000)
  const growth = (perNode.at(-1) ?? 0) / (perNode[1] ?? 1)
  return [
    {
      name: `validate 200 nodes, ${connections} connections`,
      value: `p50 ${p(200, 0.5).toFixed(2)} ms, p99 ${p(200, 0.99).toFixed(2)} ms`,
      limit: '',
      ratio: null,
      goal: 'p99 < 5 ms',
      isMet: p(200, 0.99) < 5,
    },
    {
      name: `validate, cost per node at ${sizes.join(', ')} nodes`,
      value: perNode.map((us) => `${us.toFixed(1)} µs`).join(', '),
      limit: '200 against 50 nodes',
      ratio: growth,
      goal: 'linear (≤ 1.5)',
      isMet: growth <= 1.5,
    },
  ]
}
