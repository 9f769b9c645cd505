// Ready workflows to start from. Promises that each is valid as it stands on the embedded models
// and has inputs to try it with. Never more than data: nothing here runs.

export type WorkflowTemplate = {
  id: string
  name: string
  description: string
  icon: string
  data: { nodes: object[]; connections: object[] }
  sampleInputs: Record<string, unknown>
}

/** A node at a place of the grid the canvas shows. */
export const node = (
  id: string,
  type: string,
  [column, row]: [number, number],
  data: Record<string, unknown>,
) => ({ id, type, position: { x: column * 320, y: row * 180 }, data })

/** `node` or `node.port` at either end; without a port the first is meant. */
export function wire(from: string, to: string) {
  const [source = '', sourceHandle] = from.split('.')
  const [target = '', targetHandle] = to.split('.')
  return {
    source,
    ...(sourceHandle ? { sourceHandle } : {}),
    target,
    ...(targetHandle ? { targetHandle } : {}),
  }
}
