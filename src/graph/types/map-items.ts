// Executes flow.map: the step for every item, some at a time. An item that fails ends the run, or is
// left out or replaced by null, and is then listed among the errors.
import { ItemFailure, NodeFailure } from '../node/node-failure.ts'
import { reuseOf } from '../node/node-reuse.ts'
import type { NodeExecution, NodeInputs, NodeOutputs } from '../node/node-type.ts'
import { assertBounded, maxValueBytes, measure, tooLarge } from '../node/values.ts'
import type { ItemPlace } from '../node/wait-request.ts'
import { inPlaces } from './item-places.ts'
import { type LoopConfig, outputPort, stepInputs } from './loop-step.ts'

export type OnItemError = 'fail' | 'skip' | 'collect'

/** An item that failed, as the port `errors` lists it. */
type ItemError = { index: number; code: string; message: string }

type MapOptions = LoopConfig & {
  concurrency: number
  maxItems: number
  onItemError: OnItemError
}

/** Results in the order of the items; null for an item that had no result. */
export async function mapItems(
  context: NodeExecution,
  { ports: given }: NodeInputs<unknown>,
  options: MapOptions,
): Promise<NodeOutputs> {
  const { apply, concurrency, onItemError } = options
  const items = readItems(given.items, options)
  const step = context.nodeType(apply.type)
  const execute = step?.execute
  if (!step || !execute) throw new NodeFailure('INTERNAL_ERROR', 'The step cannot run here.')
  context.noteItems(items.length)
  const port = outputPort(step, apply, context.calls)
  const { calls } = context
  const inputsOf = stepInputs(step, options, given, { calls, constant: (value) => value })
  const collected = collector(items.length)
  const tolerance = onItemError === 'fail' ? {} : { mayFail: true as const }
  const reuse = reuseOf(step, apply.data)
  let isCutShort = false
  const executeItem = async (index: number, place: ItemPlace) => {
    if (isCutShort) return
    const ports = inputsOf(items[index])
    const end = await context.forItem({ index, ports, place, reuse, ...tolerance }, (item) =>
      execute(item, { ports, merged: [] }, apply.data),
    )
    if (end === null) isCutShort = true
    else if (end instanceof ItemFailure) collected.fail(index, end)
    else {
      collected.add(index, end[port] ?? null)
      await context.hold(collected.results[index])
    }
  }
  try {
    // Rejects with the first failure at once; items in flight are awaited by the run.
    await inPlaces(concurrency, items.length, executeItem)
  } finally {
    // From here on they count as the value of the node.
    context.dropHeld()
  }
  if (isCutShort) context.throwIfEnding()
  return collected.outputs(onItemError)
}

function readItems(items: unknown, { maxItems }: MapOptions): unknown[] {
  if (!Array.isArray(items)) throw new NodeFailure('TYPE_MISMATCH', 'items must be a list.')
  if (items.length <= maxItems) return items
  const message = `The list has ${items.length} items; at most ${maxItems} are allowed.`
  throw new NodeFailure('ITEM_LIMIT', message)
}

/** The size is checked for each item, because all results are held until the last one. */
function collector(count: number) {
  const results: unknown[] = new Array(count).fill(null)
  const errors: ItemError[] = []
  let size = 0
  const grow = (value: unknown) => {
    size += measure(value, maxValueBytes)
    if (size > maxValueBytes) throw tooLarge()
  }
  return {
    results,
    add(index: number, result: unknown) {
      results[index] = result
      grow(result)
    },
    fail(index: number, { code, message }: ItemFailure) {
      const error = { index, code, message }
      errors.push(error)
      grow(error)
    },
    outputs(onItemError: OnItemError): NodeOutputs {
      errors.sort((a, b) => a.index - b.index)
      const failed = new Set(errors.map(({ index }) => index))
      const isKept = (_: unknown, index: number) => !failed.has(index)
      const kept = onItemError === 'skip' ? results.filter(isKept) : results
      assertBounded(kept)
      return onItemError === 'fail' ? { results: kept } : { results: kept, errors }
    },
  }
}
