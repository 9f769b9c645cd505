// What a graph does, in words, from the graph itself: no model is asked. Pure.
import { modeOf } from './draw-actions.ts'
import { findNode, type Graph, type GraphNode } from './graph.ts'
import { type NodeTypes, titleOf, typeInfo } from './node-types.ts'
import { orderNodes } from './order.ts'

export type Explained = {
  /** What must be there before it can run: models, people, other systems. */
  readonly needs: readonly string[]
  readonly steps: readonly { readonly id: string; readonly title: string; readonly text: string }[]
}

export const explainGraph = (graph: Graph, types: NodeTypes): Explained => ({
  needs: needsOf(graph),
  steps: orderNodes(graph).map((node) => ({
    id: node.id,
    title: titleOf(types, node),
    text: sentence(node, graph, types),
  })),
})

const needed: [type: RegExp, words: string][] = [
  [/^text\.generate$/, 'a text model'],
  [/^image\.generate$/, 'an image model'],
  [/^video\.generate$/, 'a video model'],
  [/^http\.request$/, 'another system to call'],
  [/^wait\.approval$/, 'a person who approves'],
  [/^wait\.callback$/, 'a message from another system'],
  [/^workflow\.call$/, 'another workflow'],
  [/^browser\./, 'somebody at the canvas'],
]

export function needsOf(graph: Graph): string[] {
  const used = graph.nodes.flatMap(({ type, data }) => [type, appliedType(data)])
  return needed.filter(([type]) => used.some((one) => type.test(one))).map(([, words]) => words)
}

const appliedType = ({ apply }: GraphNode['data']): string =>
  typeof apply === 'object' && apply !== null && 'type' in apply ? String(apply.type) : ''

const leftOut = {
  mute: 'Muted: it does not run, and what needs it is skipped.',
  bypass: 'Bypassed: it does not run, and passes on what it is given.',
}

function sentence(node: GraphNode, graph: Graph, types: NodeTypes): string {
  const from = sourcesOf(node, graph, types)
  const text = verbOf(node, from, types) ?? typeInfo(types, node.type)?.help ?? node.type
  const mode = modeOf(node)
  if (mode) return `${leftOut[mode]} ${text}`
  const branch = branchesInto(node, graph)
  return branch ? `${text} Only if ${branch}.` : text
}

/** The names of what feeds a node; "nothing yet" if no wire does. */
function sourcesOf({ id }: GraphNode, graph: Graph, types: NodeTypes): string {
  const names = graph.connections
    .filter(({ target }) => target === id)
    .map(({ source }) => findNode(graph, source))
    .map((source) => (source ? titleOf(types, source) : 'a node that is gone'))
  return listed([...new Set(names)]) || 'nothing yet'
}

const listed = (names: readonly string[]): string =>
  names.length < 2 ? (names[0] ?? '') : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`

/** A wire from a named branch is taken only if that branch is chosen. */
function branchesInto({ id }: GraphNode, graph: Graph): string {
  const branches = graph.connections
    .filter(({ target }) => target === id)
    .flatMap(({ source, sourceHandle }) => {
      const type = findNode(graph, source)?.type
      if (type !== 'flow.condition' && type !== 'wait.approval') return []
      return sourceHandle ? [`“${sourceHandle}” is chosen`] : []
    })
  return [...new Set(branches)].join(' or ')
}

function verbOf({ type, data, id }: GraphNode, from: string, types: NodeTypes): string | null {
  const set = (key: string): string => quoted(data[key])
  switch (type) {
    case 'text.generate':
      return `Asks ${set('model') || 'a text model'}, with ${from}.`
    case 'image.generate':
      return `Makes a picture with ${set('model') || 'an image model'} from ${from}.`
    case 'video.generate':
      return `Makes a video with ${set('model') || 'a video model'} from ${from}.`
    case 'text.template':
      return `Writes a text from ${from}: ${set('template') || 'its template is empty'}.`
    case 'json.transform':
      return `Reshapes ${from} with ${set('expression') || 'an expression'}.`
    case 'flow.condition':
      return `Decides by ${set('expression') || 'an expression'} which way ${from} goes on.`
    case 'flow.map': {
      const step = typeInfo(types, appliedType(data))?.label ?? 'a step'
      return `Does “${step}” for every item of ${from}.`
    }
    case 'flow.repeat': {
      const step = typeInfo(types, appliedType(data))?.label ?? 'a step'
      return `Does “${step}” again and again, first with ${from}, until ${set('until') || 'its expression'} is true.`
    }
    case 'flow.merge':
      return `Joins ${from}.`
    case 'http.request':
      return `Calls ${set('url') || 'an address'}, with ${from}.`
    case 'output':
      return `Gives ${from} as a result, under the name “${id}”.`
    default:
      return type.startsWith('input.')
        ? `Is given when a run starts${data.default === undefined ? '' : `, or is ${set('default')}`}.`
        : null
  }
}

const longest = 80

function quoted(value: unknown): string {
  if (value === undefined || value === '') return ''
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
  if (text.startsWith('data:')) return 'a file inside the graph'
  const line = text.replace(/\s+/g, ' ')
  return `“${line.length > longest ? `${line.slice(0, longest)}…` : line}”`
}
