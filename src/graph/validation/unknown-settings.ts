// Warns about keys of `data` that the node does not use. They are stored, because graph editors
// may need them, but most of them are misspelt settings that a run would silently ignore.
import { nearest } from '#core/nearest.ts'
import { isRecord } from '#core/record.ts'
import { pointerSegment } from '../node/json-pointer.ts'
import type { CheckEnv, Config, NodeType, Ports } from '../node/node-type.ts'
import type { NodeEntry } from './check-nodes.ts'
import { type GraphWarningCode, type Problem, quote } from './problems.ts'

type Warning = Problem<GraphWarningCode>

const maxWarnings = 100

/** Keys that graph editors commonly store with a node. */
const forDrawing = new Set(
  'label position width height color style note notes comment collapsed selected ui'.split(' '),
)
const isForDrawing = (key: string) => forDrawing.has(key) || /^(x-|_)/.test(key)

export function unknownSettings(entries: Iterable<NodeEntry>, env: CheckEnv): Warning[] {
  const warnings: Warning[] = []
  for (const { index, id, type, data, ports } of entries) {
    if (!type) continue
    for (const { path, message } of unknownIn(type, data, ports, env)) {
      // A hostile graph may have a million such keys, and a warning is larger than its key.
      if (warnings.length === maxWarnings) return warnings
      const at = `/nodes/${index}/data${path}`
      warnings.push({ code: 'UNKNOWN_SETTING', path: at, message, nodeId: id })
    }
  }
  return warnings
}

type Finding = { path: string; message: string }

function* unknownIn(
  type: NodeType,
  data: Config,
  ports: Ports | null,
  env: CheckEnv,
): Generator<Finding> {
  if (type.browserOnly || ports?.open) return
  const known = [
    ...Object.keys(type.config.properties),
    ...(ports?.inputs ?? []).map((port) => port.name),
  ]
  // As long as the ports are not determined, a key may be the constant of a port.
  yield* unknownKeys(data, known, { of: type.type, isComplete: ports !== null })
  if (!type.step || !isRecord(data.apply)) return
  for (const { path, message } of unknownInStep(data.apply, env)) {
    yield { path: `/apply${path}`, message }
  }
}

function* unknownInStep(apply: Config, env: CheckEnv): Generator<Finding> {
  const known = ['type', 'data', 'itemPort', 'outputPort']
  yield* unknownKeys(apply, known, { of: 'apply', isComplete: true })
  const step = typeof apply.type === 'string' ? env.nodeType(apply.type) : undefined
  if (!step || !isRecord(apply.data)) return
  const { data } = apply
  for (const { path, message } of unknownIn(step, data, step.ports(data, env.calls), env)) {
    yield { path: `/data${path}`, message }
  }
}

function* unknownKeys(
  data: Config,
  known: readonly string[],
  { of, isComplete }: { of: string; isComplete: boolean },
): Generator<Finding> {
  for (const key of Object.keys(data)) {
    if (known.includes(key) || isForDrawing(key)) continue
    const meant = nearest(key, known)
    if (meant === null && !isComplete) continue
    const hint = meant === null ? '' : ` Did you mean "${meant}"?`
    yield {
      path: `/${pointerSegment(key.slice(0, 100))}`,
      message: `${quote(key)} is not a setting of ${of}, and is ignored.${hint}`,
    }
  }
}
