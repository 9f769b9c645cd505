// What a cancelled run may still cost, in words.
import type { RunCall } from '#console/api/types.ts'
import { rootOf } from './run-state.ts'

const isBilled = new Set<RunCall['kind']>(['TEXT', 'MEDIA'])

const count = (number: number, one: string): string => `${number} ${one}${number === 1 ? '' : 's'}`

/** Provider calls that have begun and not ended; waits and HTTP requests cost nothing here. */
export function stillBilled(calls: readonly RunCall[], nameOf: (nodeId: string) => string): string {
  const open = calls.filter(({ status, kind }) => status === 'STARTED' && isBilled.has(kind))
  if (open.length === 0) return 'No provider call is in progress, so nothing more will be billed.'
  const nodes = [...new Set(open.map(({ path }) => nameOf(rootOf(path))))]
  const where = nodes.length > 3 ? `${nodes.slice(0, 3).join(', ')} and others` : nodes.join(', ')
  return `${count(open.length, 'call')} in progress (${where}) may still finish at the provider and be billed.`
}
