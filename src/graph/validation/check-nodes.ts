import { isRecord } from '#core/record.ts'
import { fillsOf } from '../node/fills.ts'
import { inspectConfig } from '../node/inspect-config.ts'
import type { CheckEnv, Config, NodeType, Ports } from '../node/node-type.ts'
import { type NodeMode, readMode } from '../plan/modes.ts'
import { nodeTypes } from '../types/table.ts'
import { type ErrorList, quote } from './problems.ts'

/** A node that has an id; everything else about it may be invalid. */
export type NodeEntry = {
  index: number
  id: string
  typeName: string
  type: NodeType | null
  data: Config
  /** Null if its settings do not determine the ports yet. */
  ports: Ports | null
  fills: Record<string, unknown>
  mode?: NodeMode
}

const typeNames = nodeTypes.map((nodeType) => nodeType.type).join(', ')
// "__proto__" is refused as a key in request bodies, so no run could provide such an input.
const idPattern = /^(?!__proto__$)[A-Za-z0-9_-]{1,64}$/

/** All nodes that have an id. Connections may refer to them even if they are otherwise invalid. */
export function checkNodes(
  nodes: readonly unknown[],
  env: CheckEnv,
  errors: ErrorList,
): Map<string, NodeEntry> {
  const entries = new Map<string, NodeEntry>()
  for (const [index, raw] of nodes.entries()) {
    const path = `/nodes/${index}`
    if (!isRecord(raw)) {
      errors.add({
        code: 'INVALID_NODE',
        path,
        message: 'A node must be an object with id, type and data.',
      })
      continue
    }
    const id = readId(raw, path, errors)
    checkPosition(raw, path, id, errors)
    const entry = readEntry(index, id ?? '', raw, env, errors)
    if (id === null) continue
    const first = entries.get(id)
    if (first) {
      const message = `The id ${quote(id)} is already used by node ${first.index}: give this node another.`
      errors.add({ code: 'DUPLICATE_NODE_ID', path: `${path}/id`, message, nodeId: id })
    } else {
      entries.set(id, entry)
    }
  }
  return entries
}

function readId(raw: Record<string, unknown>, path: string, errors: ErrorList): string | null {
  if (typeof raw.id === 'string' && idPattern.test(raw.id)) return raw.id
  errors.add({
    code: 'INVALID_NODE',
    path: `${path}/id`,
    message: 'id must be 1 to 64 letters, digits, "_" or "-", and not "__proto__".',
  })
  return null
}

function checkPosition(
  { position }: Record<string, unknown>,
  path: string,
  id: string | null,
  errors: ErrorList,
) {
  if (position === undefined) return
  const isPlace = isRecord(position) && Number.isFinite(position.x) && Number.isFinite(position.y)
  if (isPlace) return
  errors.add({
    code: 'INVALID_NODE',
    path: `${path}/position`,
    message: 'position must be an object with the numbers x and y, or be left out.',
    ...(id === null ? {} : { nodeId: id }),
  })
}

function readEntry(
  index: number,
  id: string,
  raw: Record<string, unknown>,
  env: CheckEnv,
  errors: ErrorList,
): NodeEntry {
  const path = `/nodes/${index}`
  const where = id === '' ? {} : { nodeId: id }
  const typeName = typeof raw.type === 'string' ? raw.type : ''
  const type = env.nodeType(typeName) ?? null
  if (typeof raw.type !== 'string') {
    const message = 'type must be a string such as "text.generate".'
    errors.add({ code: 'INVALID_NODE', path: `${path}/type`, message, ...where })
  } else if (!type) {
    const message = `There is no node type ${quote(raw.type)}: use ${typeNames} or browser.<name>.`
    errors.add({ code: 'UNKNOWN_NODE_TYPE', path: `${path}/type`, message, ...where })
  }
  const mode = readMode(raw.mode)
  const nothing = { index, id, typeName, type, data: {}, ports: null, fills: {}, ...mode }
  if (!isRecord(raw.data)) {
    const message = 'data must be an object; send {} if there is nothing to set.'
    errors.add({ code: 'INVALID_NODE', path: `${path}/data`, message, ...where })
    return nothing
  }
  if (!type) return { ...nothing, data: raw.data }
  for (const problem of inspectConfig(type, raw.data, env)) {
    errors.add({
      code: 'INVALID_CONFIG',
      path: `${path}/data${problem.path}`,
      message: `${problem.message}.`,
      ...where,
    })
  }
  const ports = type.ports(raw.data, env.calls)
  const fills = ports ? fillsOf(type, raw.data, ports) : {}
  return { ...nothing, data: raw.data, ports, fills }
}
