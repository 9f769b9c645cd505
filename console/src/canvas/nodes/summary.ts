import { type GraphNode, labelOf } from '#console/canvas/graph.ts'
import type { NodeTypeInfo } from '#console/canvas/node-types.ts'

const telling = ['model', 'template', 'expression', 'url', 'mode', 'workflowId', 'default']

/** One line that tells nodes of the same type apart: their most telling setting. */
export function summaryOf(node: GraphNode, info: NodeTypeInfo | undefined): string {
  const found = telling
    .map((key) => node.data[key])
    .find((value) => value !== undefined && value !== '')
  if (typeof found === 'string' && found.startsWith('data:')) return 'A file inside the graph'
  const text = typeof found === 'string' ? found : found === undefined ? '' : JSON.stringify(found)
  const line = text.replace(/\s+/g, ' ').slice(0, 80)
  if (line) return line
  // A node without a name already has its type as its title.
  return labelOf(node) === node.id ? node.id : (info?.label ?? node.type)
}
