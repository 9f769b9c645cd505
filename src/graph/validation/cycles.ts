export type Order = {
  /** Sources before targets. Nodes in cycles, and those behind them, are missing. */
  order: number[]
  /** One cycle for each strongly connected component, as the indices along it. */
  cycles: number[][]
}

/** Sorts topologically, in time linear in nodes and edges. */
export function orderNodes(count: number, edges: readonly (readonly [number, number])[]): Order {
  const targets: number[][] = Array.from({ length: count }, () => [])
  const waiting = new Array<number>(count).fill(0)
  for (const [source, target] of edges) {
    targets[source]?.push(target)
    waiting[target] = (waiting[target] ?? 0) + 1
  }
  const order: number[] = []
  for (let i = 0; i < count; i++) if (waiting[i] === 0) order.push(i)
  for (let next = 0; next < order.length; next++) {
    for (const target of targets[order[next] ?? 0] ?? []) {
      const left = (waiting[target] ?? 0) - 1
      waiting[target] = left
      if (left === 0) order.push(target)
    }
  }
  if (order.length === count) return { order, cycles: [] }
  const ordered = new Set(order)
  return { order, cycles: findCycles(targets, (node) => !ordered.has(node)) }
}

/** Tarjan's algorithm for strongly connected components, iterative because chains may be long. */
function findCycles(targets: readonly number[][], isLeft: (node: number) => boolean): number[][] {
  const found: number[][] = []
  const seen = new Map<number, { at: number; low: number; isOpen: boolean }>()
  const open: number[] = []
  for (let root = 0; root < targets.length; root++) {
    if (!isLeft(root) || seen.has(root)) continue
    const path: { node: number; next: number }[] = []
    const enter = (node: number) => {
      seen.set(node, { at: seen.size, low: seen.size, isOpen: true })
      open.push(node)
      path.push({ node, next: 0 })
    }
    enter(root)
    while (path.length > 0) {
      const step = path[path.length - 1]
      const facts = step && seen.get(step.node)
      if (!step || !facts) break
      const target = targets[step.node]?.[step.next++]
      if (target !== undefined) {
        const other = seen.get(target)
        if (!other) enter(target)
        else if (other.isOpen) facts.low = Math.min(facts.low, other.at)
        continue
      }
      path.pop()
      const parent = path[path.length - 1]
      const parentFacts = parent && seen.get(parent.node)
      if (parentFacts) parentFacts.low = Math.min(parentFacts.low, facts.low)
      if (facts.low === facts.at) closeComponent(step.node)
    }
  }
  return found

  function closeComponent(head: number) {
    const component = open.splice(open.lastIndexOf(head))
    for (const node of component) {
      const facts = seen.get(node)
      if (facts) facts.isOpen = false
    }
    const cycle = shortestCycle(head, new Set(component), targets)
    if (cycle) found.push(cycle)
  }
}

/** The shortest path from a node back to itself inside its component, or null if it has none. */
function shortestCycle(
  start: number,
  component: ReadonlySet<number>,
  targets: readonly number[][],
): number[] | null {
  const cameFrom = new Map<number, number>()
  const queue = [start]
  for (const node of queue) {
    for (const target of targets[node] ?? []) {
      if (target === start) return pathTo(node, start, cameFrom)
      if (!component.has(target) || cameFrom.has(target)) continue
      cameFrom.set(target, node)
      queue.push(target)
    }
  }
  return null
}

function pathTo(end: number, start: number, cameFrom: ReadonlyMap<number, number>): number[] {
  const path = [end]
  for (let node = end; node !== start; ) {
    node = cameFrom.get(node) ?? start
    path.push(node)
  }
  return path.reverse()
}
