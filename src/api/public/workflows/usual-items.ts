import { unpackNodes } from '#core/run-nodes.ts'
import { recentNodes } from '#store/tables/run-estimates.ts'
import type { Context } from '../context.ts'
import { nodeHeads } from '../runs/show-run.ts'

/** Enough to even out a single odd run, and soon forgotten. */
const recentRuns = 10

/**
 * How many items or passes each loop of a workflow had in its last runs, on average. They are read
 * once for an estimate, and only if a loop has to guess.
 */
export function usualItems(
  context: Context,
  workflowId: number,
): (nodeId: string) => Promise<number | null> {
  let read: Promise<ReadonlyMap<string, number>> | undefined
  return async (nodeId) => {
    read ??= meanItems(context, workflowId)
    return (await read).get(nodeId) ?? null
  }
}

async function meanItems(
  context: Context,
  workflowId: number,
): Promise<ReadonlyMap<string, number>> {
  const { db } = context.services
  const { accountId } = context.principal
  const counts = new Map<string, number[]>()
  for (const run of await recentNodes(db, { accountId, workflowId, limit: recentRuns })) {
    const heads = await nodeHeads(context, run)
    for (const [index, { items }] of unpackNodes(run.nodes?.value ?? [], 0).entries()) {
      const id = heads[index]?.id
      if (items === null || id === undefined) continue
      counts.set(id, [...(counts.get(id) ?? []), items])
    }
  }
  const mean = (all: readonly number[]) => all.reduce((sum, one) => sum + one, 0) / all.length
  return new Map([...counts].map(([id, all]) => [id, mean(all)]))
}
