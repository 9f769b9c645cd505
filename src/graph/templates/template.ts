// Ready-made workflows to start from. Each one is valid as it is, uses only the built-in demo
// models and comes with sample inputs. Templates are data; nothing here runs.

export type WorkflowTemplate = {
  id: string
  name: string
  description: string
  icon: string
  data: { nodes: object[]; connections: object[] }
  sampleInputs: Record<string, unknown>
  /** What such a workflow is usually started by. */
  trigger?: TemplateTrigger
}

type TemplateTrigger = { name: string } & (
  | { kind: 'SCHEDULE'; cron: string; overlap: 'allow' | 'skip' | 'queue' }
  | {
      kind: 'WEBHOOK'
      verify: { method: 'github' | 'slack' }
      mapping: string
      /** What the sender sends, to try the mapping with. */
      sample: { headers: Record<string, string>; body: object }
    }
)

/** A node at a column and row of the canvas grid, whose rows leave room for a result below each node. */
export const node = (
  id: string,
  type: string,
  [column, row]: [number, number],
  data: Record<string, unknown>,
) => ({ id, type, position: { x: column * 320, y: row * 320 }, data })

/** Both ends are written `node` or `node.port`; without a port, the node's first port is used. */
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
