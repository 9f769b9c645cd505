export type Order = {
  /** Sources before targets; without the nodes of cycles and what hangs on them. */
  order: number[]
  /** One cycle for each knot of nodes that reach one another, as the indices along it. */
  cycles: number[][]
}

/** Linear in nodes and edges: every edge is looked at a fixed number of times. */
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
  return { order, cycles: findKnots(targets, (node) => !ordered.has(node)) }
}

/** Tarjan's strongly connected components, without recursion: a chain may be long. */
function findKnots(targets: readonly number[][], isLeft: (node: number) => boolean): number[][] {
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
      if (facts.low === facts.at) closeKnot(step.node)
    }
  }
  return found

  function closeKnot(head: number) {
    const knot = open.splice(open.lastIndexOf(head))
    for (const node of knot) {
      const facts = seen.get(node)
      if (facts) facts.isOpen = false
    }
    const cycle = shortestCycle(head, new Set(knot), targets)
    if (cycle) found.push(cycle)
  }
}

/** The way from a node back to itself inside its knot, or null if it has none. */
function shortestCycle(
  start: number,
  knot: ReadonlySet<number>,
  targets: readonly number[][],
): number[] | null {
  const cameFrom = new Map<number, number>()
  const queue = [start]
  for (const node of queue) {
    for (const target of targets[node] ?? []) {
      if (target === start) return wayTo(node, start, cameFrom)
      if (!knot.has(target) || cameFrom.has(target)) continue
      cameFrom.set(target, node)
      queue.push(target)
    }
  }
  return null
}

function wayTo(end: number, start: number, cameFrom: ReadonlyMap<number, number>): number[] {
  const way = [end]
  for (let node = end; node !== start; ) {
    node = cameFrom.get(node) ?? start
    way.push(node)
  }
  return way.reverse()
}
