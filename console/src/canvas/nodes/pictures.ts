// Where a browser node gets its pictures: chosen in the node, made by another browser node, an
// output of the last run, or the default of an input.
import { useQuery } from '@tanstack/react-query'
import { listRuns, readNodesOfRun, readRunNode } from '#console/canvas/calls.ts'
import { useGraph, useSessionOf } from '#console/canvas/context.ts'
import { findNode, type GraphNode } from '#console/canvas/graph.ts'
import { isMedia, madeBy } from '#console/canvas/made.ts'
import { mediaPath } from '#console/lib/media-path.ts'

/** Addresses that this page may show: those of its own server, and pictures inside the graph. */
const showable = (address: unknown): string | null => {
  if (typeof address !== 'string') return null
  if (address.startsWith('data:image/')) return address
  const path = mediaPath(address)
  return path.startsWith('/media/') ? path : null
}

export function usePictures(node: GraphNode): string[] {
  const { base } = useSessionOf()
  const graph = useGraph()
  const wires = graph.connections.filter((wire) => wire.target === node.id)
  const { data: fromRun = {} } = useQuery({
    queryKey: ['pictures', base.workflowId, wires.map((wire) => wire.source)],
    queryFn: () =>
      lastOutputs(
        base.workflowId ?? 0,
        wires.map((wire) => wire.source),
      ),
    enabled: base.workflowId !== null && wires.length > 0,
  })
  const chosen = isMedia(node.data.picture) ? [showable(node.data.picture.url)] : []
  const wired = wires.map((wire) => {
    const source = findNode(graph, wire.source)
    const made = source && madeBy(source)
    if (made) return showable(made.url)
    const value =
      fromRun[wire.source]?.[wire.sourceHandle ?? ''] ??
      Object.values(fromRun[wire.source] ?? {})[0]
    return (isMedia(value) ? showable(value.url) : null) ?? showable(source?.data.default)
  })
  return [...chosen, ...wired].filter((src) => src !== null)
}

async function lastOutputs(workflowId: number, nodeIds: readonly string[]) {
  const run = (await listRuns(workflowId)).items[0]
  if (!run) return {}
  const known = await readNodesOfRun(run.runId)
  const found = await Promise.all(
    nodeIds
      .filter((id) => known.has(id))
      .map(
        async (id) =>
          [id, (await readRunNode(run.runId, id).catch(() => null))?.outputs ?? {}] as const,
      ),
  )
  return Object.fromEntries(found)
}
