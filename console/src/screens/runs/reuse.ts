// What a cancelled run may still cost, and what a retry need not pay again, in words.
import type { RunCall } from '#console/api/types.ts'
import type { NodeNames } from './node-names.ts'
import { rootOf } from './run-state.ts'

const count = (number: number, one: string): string => `${number} ${one}${number === 1 ? '' : 's'}`

/** Provider calls that have begun and not ended; HTTP requests cost nothing here. */
export function stillBilled(calls: readonly RunCall[], nameOf: NodeNames): string {
  const open = calls.filter(({ status, kind }) => status === 'STARTED' && kind !== 'HTTP')
  if (open.length === 0) return 'No provider call is in progress, so nothing more will be billed.'
  const nodes = [...new Set(open.map(({ path }) => nameOf(rootOf(path))))]
  const where = nodes.length > 3 ? `${nodes.slice(0, 3).join(', ')} and others` : nodes.join(', ')
  return `${count(open.length, 'call')} in progress (${where}) may still finish at the provider and be billed.`
}

export type Reuse = {
  readonly calls: number
  /** What those calls cost. */
  readonly saved: { readonly amount: number; readonly currency: string } | null
  /** Nodes of the graph that failed or were cancelled. */
  readonly again: readonly string[]
}

export function reuseOf(
  calls: readonly RunCall[],
  nodes: readonly { nodeId: string; status: string }[],
): Reuse {
  const failed = new Set(nodes.filter(({ status }) => status === 'FAILED').map((one) => one.nodeId))
  // HTTP answers of a failed node are what the retry is for, so they are requested again.
  const done = calls.filter(
    ({ status, kind, path }) => status === 'DONE' && !(kind === 'HTTP' && failed.has(rootOf(path))),
  )
  const paid = done.flatMap(({ cost }) => (cost ? [cost] : []))
  const [first] = paid
  return {
    calls: done.length,
    saved: first
      ? { amount: paid.reduce((sum, { amount }) => sum + amount, 0), currency: first.currency }
      : null,
    again: nodes
      .filter(({ status }) => status === 'FAILED' || status === 'CANCELLED')
      .map(({ nodeId }) => nodeId),
  }
}

export const reuseWords = ({ calls, again }: Reuse, nameOf: NodeNames): string => {
  const kept =
    calls === 0 ? 'No call has finished.' : `${count(calls, 'finished call')} will be reused.`
  if (again.length === 0) return kept
  const named = again.slice(0, 3).map(nameOf).join(', ')
  const rest = again.length > 3 ? ` and ${again.length - 3} more` : ''
  return `${kept} The new run continues with ${named}${rest}.`
}
