// How far the lists of a run have come, as the cards of the canvas show it: "41 of 200".
import type { NodeProgress } from '#core/run-nodes.ts'
import { Type } from '#core/schema.ts'
import type { StepHead } from '#store/tables/steps.ts'
import { NamedRecord } from '../../schemas.ts'

const Count = Type.Integer({ minimum: 0 })

export const Loops = Type.Optional(
  Type.Record(Type.String(), NamedRecord('LoopProgress', { done: Count, total: Count }), {
    description:
      'By node: the items of lists that are worked on. Those whose calls have all ended are done.',
  }),
)

const itemOf = /^([A-Za-z0-9_-]+)\[(\d+)\]/

/** Absent while no list is worked on. */
export function loopsIn(
  nodeIds: readonly string[],
  progress: readonly NodeProgress[],
  steps: readonly StepHead[],
): { loops?: Record<string, { done: number; total: number }> } {
  const open = nodeIds.flatMap((nodeId, i) => {
    const { status, items } = progress[i] ?? {}
    return items && (status === 'RUNNING' || status === 'WAITING') ? [[nodeId, items] as const] : []
  })
  if (open.length === 0) return {}
  const isDone = new Map<string, Map<string, boolean>>(open.map(([nodeId]) => [nodeId, new Map()]))
  for (const { path, ended_at: endedAtMs } of steps) {
    const [, nodeId = '', item = ''] = itemOf.exec(path) ?? []
    const items = isDone.get(nodeId)
    items?.set(item, (items.get(item) ?? true) && endedAtMs !== null)
  }
  const doneIn = (nodeId: string) =>
    [...(isDone.get(nodeId)?.values() ?? [])].filter(Boolean).length
  return {
    loops: Object.fromEntries(
      open.map(([nodeId, total]) => [nodeId, { done: doneIn(nodeId), total }]),
    ),
  }
}
