import type { InputPort, NodeType, OutputPort } from '#graph/node/node-type.ts'
import { browserTools } from '#graph/types/browser.ts'
import { exampleNode } from '#graph/types/node-examples.ts'
import { nodeTypes } from '#graph/types/table.ts'

/** A node type as its docs show it. */
export type NodeReference = {
  type: string
  label: string
  purpose: string
  /** JSON Schema of its settings, which are in `data`. */
  settings: object
  inputs: string[]
  outputs: string[]
  /** Settings that change the ports; the ports above are those of the example. */
  portsDependOn: readonly string[]
  cost: string
  example: object
}

export const nodeReferences = (): NodeReference[] =>
  [...nodeTypes, ...browserTools].map(toReference)

function toReference(nodeType: NodeType): NodeReference {
  const { type, canvas, config, portsDependOn = [] } = nodeType
  const example = exampleNode(nodeType)
  // Without the other workflow, the ports of a call are not known.
  const ports = nodeType.ports(example.data, () => undefined) ?? { inputs: [], outputs: [] }
  return {
    type,
    label: canvas.label,
    purpose: canvas.help,
    settings: config,
    inputs: ports.inputs.map(inputText),
    outputs: ports.outputs.map(outputText),
    portsDependOn,
    cost: costOf(nodeType),
    example,
  }
}

const inputText = ({ name, type, required, multi }: InputPort): string =>
  [`${name}: ${type}`, required ? 'required' : '', multi ? 'accepts several connections' : '']
    .filter((word) => word !== '')
    .join(', ')

const outputText = ({ name, type, optional, nullable }: OutputPort): string =>
  [`${name}: ${type}`, optional ? 'may have no value' : '', nullable ? 'may be null' : '']
    .filter((word) => word !== '')
    .join(', ')

/** Types whose cost is not that of a model they call. */
const costs: Record<string, string> = {
  'flow.map': 'What its step costs, once for each item.',
  'flow.repeat': 'What its step costs, once for each pass.',
  'workflow.call': 'What the called workflow costs.',
  'http.request': 'Nothing here; the address may charge you.',
}

function costOf({ type, modelKinds = [], browserOnly }: NodeType): string {
  if (browserOnly) return 'Nothing. A run on the server skips it.'
  return modelKinds.length > 0 ? 'What its model charges.' : (costs[type] ?? 'Nothing.')
}
