// What browser nodes made. It is stored in their settings, so that drafts and versions contain it.
import type { Media } from '#console/api/types.ts'
import { findNode, type Graph, type GraphNode } from './graph.ts'

export const isMedia = (value: unknown): value is Media =>
  typeof value === 'object' && value !== null && 'url' in value && 'mimeType' in value

/** What the node contributes to the run, if anything was made. */
export const madeBy = (node: GraphNode): Media | null =>
  isMedia(node.data.made) ? node.data.made : null

/** Whether a node that runs on the server uses this node's output. */
export const feedsRun = (graph: Graph, nodeId: string): boolean =>
  graph.connections.some(
    ({ source, target }) =>
      source === nodeId && !findNode(graph, target)?.type.startsWith('browser.'),
  )

/** Run inputs made by browser nodes, by node id: only those that the server uses. */
export const madeIn = (graph: Graph): Record<string, Media> =>
  Object.fromEntries(
    graph.nodes.flatMap((node): [string, Media][] => {
      const made = node.type.startsWith('browser.') ? madeBy(node) : null
      return made && feedsRun(graph, node.id) ? [[node.id, made]] : []
    }),
  )
