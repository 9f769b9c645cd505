// Problems in the words of the screen. The server writes for programs, about ids, keys and types;
// here they become the names people see. Messages without words here are shown as the server wrote
// them.
import { findNode, type Graph, type GraphNode } from './graph.ts'
import { type LostWire, lostWire } from './lost-wire.ts'
import { type NodeTypeInfo, type NodeTypes, titleOf, typeInfo } from './node-types.ts'
import type { PlacedProblem } from './placed-problem.ts'

export function problemWords(
  problem: Omit<PlacedProblem, 'words'>,
  graph: Graph,
  types: NodeTypes,
): string {
  const node = problem.nodeId === undefined ? undefined : findNode(graph, problem.nodeId)
  return wordsOf(problem, { graph, types, node }) ?? translated(problem.message, graph, types)
}

type Env = { graph: Graph; types: NodeTypes; node: GraphNode | undefined }

function wordsOf(problem: Omit<PlacedProblem, 'words'>, env: Env): string | null {
  const { code, message, path, port } = problem
  switch (code) {
    case 'REQUIRED_PORT_UNCONNECTED':
      return `“${port}” is empty. Connect a wire to it, or set a value.`
    case 'INVALID_CONFIG':
      return settingWords(message, path, env)
    case 'PORT_TYPE_MISMATCH': {
      const [, from, to] = /: (\w+) cannot go into (\w+)\./.exec(message) ?? []
      return `${from} cannot go into ${to}. Put a Transform between them, or connect another port.`
    }
    case 'PORT_ALREADY_CONNECTED':
      return `“${port}” accepts one wire but has two. Remove one, or join them with a Merge.`
    case 'DUPLICATE_CONNECTION':
      return 'The same wire is here twice. Remove one of them.'
    case 'UNKNOWN_PORT': {
      const lost = lostWire(problem, env.graph)
      return lost && lostWords(lost, env)
    }
    case 'UNRESOLVED_PLACEHOLDER':
      return message
    case 'UNKNOWN_NODE':
      return 'A wire is connected to a node that does not exist. Remove the wire.'
    case 'UNKNOWN_NODE_TYPE':
      return `This server has no node of the type “${env.node?.type}”. Replace it.`
    case 'CYCLE':
      return message.replace(/[\w-]+(?: → [\w-]+)+/, (way) =>
        way
          .split(' → ')
          .map((id) => titleIn(env, id))
          .join(' → '),
      )
    case 'UNSUPPORTED_NODE':
      return env.node?.type.startsWith('browser.')
        ? 'Nothing has been made here yet. Use the tool in the node: its result becomes an input of the run.'
        : null
    default:
      return null
  }
}

/** The wire stays when a port is renamed, so it is what people see, and what they can move. */
function lostWords({ wire, end, port, ports, free }: LostWire, env: Env): string {
  const isTemplate = findNode(env.graph, wire[end])?.type === 'text.template'
  const [only, ...others] = free
  const what =
    end === 'source'
      ? `The wire to “${titleIn(env, wire.target)}” comes from “${port}”, which this node no longer has.`
      : `The wire from “${titleIn(env, wire.source)}” goes to “${port}”, ${
          isTemplate ? `but the template has no {{${port}}}.` : 'which this node no longer has.'
        }`
  if (only !== undefined && others.length === 0) {
    return `${what} Connect it to “${only}”, or remove it.`
  }
  return ports.length > 0
    ? `${what} There ${ports.length === 1 ? 'is' : 'are'}: ${ports.join(', ')}. Connect it there, or remove it.`
    : `${what} Remove it.`
}

const titleIn = ({ graph, types }: Pick<Env, 'graph' | 'types'>, id: string): string => {
  const node = findNode(graph, id)
  return node ? titleOf(types, node) : id
}

/** Settings with a list of options are chosen; all others are filled in. */
const chosen: Record<string, string> = {
  model: 'Choose a model.',
  workflowId: 'Choose a workflow.',
}

/** Messages about settings begin with the key, `apply.data.model must …`: its title is clearer. */
function settingWords(message: string, path: string, { types, node }: Env): string | null {
  const keys = path.split('/').slice(4)
  const key = keys.findLast((one) => !/^\d+$/.test(one))
  if (key === undefined || !node) return null
  const title = innerTitle(types, node, keys)
  if (/ is missing: |must have "/.test(message)) return chosen[key] ?? `“${title}” is empty.`
  const rule = /(?:^|: )(?:[\w.]+) ((?:must|does|is|may) .+)$/.exec(message)?.[1]
  return rule ? `“${title}” ${plain(rule)}` : null
}

const plain = (rule: string): string =>
  rule
    .replace(/\bNOT\b/, 'not')
    .replace(/be >= /, 'be at least ')
    .replace(/be <= /, 'be at most ')
    .replace(/be > /, 'be more than ')
    .replace(/be < /, 'be less than ')

type Schema = { readonly title?: string; readonly properties?: Readonly<Record<string, Schema>> }

/** The settings of a step inside another node follow the step's own type. */
function innerTitle(types: NodeTypes, node: GraphNode, keys: readonly string[]): string {
  let schema = schemaOf(typeInfo(types, node.type))
  let title = keys[0] ?? ''
  let value: unknown = node.data
  for (const key of keys) {
    const isStep = key === 'data' && typeof memberOf(value, 'type') === 'string'
    const type = isStep ? typeInfo(types, String(memberOf(value, 'type'))) : undefined
    const inner = schema?.properties?.[key]
    title = inner?.title ?? title
    schema = isStep ? schemaOf(type) : inner
    value = memberOf(value, key)
  }
  return title
}

const schemaOf = (info: NodeTypeInfo | undefined) => info?.config as Schema | undefined

const memberOf = (value: unknown, key: string): unknown =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[key] : undefined

/** Replaces ids in quotation marks by names, and node types by their labels in the palette. */
function translated(message: string, graph: Graph, types: NodeTypes): string {
  const labels = new Map(types.items.map(({ type, label }) => [type, label]))
  return message
    .replace(/"([A-Za-z0-9_-]{1,64})"/g, (_, id: string) => `“${titleIn({ graph, types }, id)}”`)
    .replace(/\b[a-z]+\.[a-z]+\b/g, (type) => labels.get(type) ?? type)
}
