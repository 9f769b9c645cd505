import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Graph, graph, node, validate, wire } from './graphs.ts'

/** Counts how often a check reads anything in the graph. */
async function looks(data: Graph): Promise<number> {
  let count = 0
  const seen = new WeakMap<object, object>()
  const watch = <T>(value: T): T => {
    if (typeof value !== 'object' || value === null) return value
    const known = seen.get(value)
    if (known) return known as T
    const proxy = new Proxy(value, {
      get(target, key, receiver) {
        count++
        return watch(Reflect.get(target, key, receiver))
      },
      ownKeys(target) {
        count++
        return Reflect.ownKeys(target)
      },
      getOwnPropertyDescriptor(target, key) {
        count++
        return Reflect.getOwnPropertyDescriptor(target, key)
      },
    })
    seen.set(value, proxy)
    return proxy as T
  }
  const { validation } = await validate(watch(data))
  assert.ok(validation.nodeCount > 0)
  return count
}

/** Each node feeds the five after it. */
function ladder(nodes: number): Graph {
  const made = graph(
    Array.from({ length: nodes }, (_, i) =>
      i === 0 ? node('n0', 'input.text') : node(`n${i}`, 'flow.merge', { mode: 'list' }),
    ),
  )
  for (let i = 1; i < nodes; i++) {
    for (let back = 1; back <= 5 && back <= i; back++) {
      made.connections.push(wire(`n${i - back}`, `n${i}`))
    }
  }
  return made
}

/** A ladder whose end leads back to its beginning. */
function knot(nodes: number): Graph {
  const made = ladder(nodes)
  made.nodes[0] = node('n0', 'flow.merge')
  made.connections.push(wire(`n${nodes - 1}`, 'n0'))
  return made
}

for (const [name, build] of Object.entries({ ladder, knot })) {
  test(`the work on a ${name} grows with its size, not faster`, async () => {
    const perPart: number[] = []
    for (const nodes of [10, 50, 100, 200]) {
      const data = build(nodes)
      perPart.push((await looks(data)) / (data.nodes.length + data.connections.length))
    }
    const [least, most] = [Math.min(...perPart), Math.max(...perPart)]
    assert.ok(most / least < 1.5, perPart.join())
  })
}
