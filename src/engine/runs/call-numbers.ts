// Equal calls of one node are told apart by a number, so that equal items of a list stay as many
// answers. Nodes inside lists are one node for all items; items begin in order.
import { type CallForm, keyOf } from './reuse-key.ts'

export type CallNumbers = {
  /** The key of the next call that the node at this path makes. */
  keyFor(path: string, form: CallForm): string
}

export function createCallNumbers(): CallNumbers {
  const nodes = new Map<string, Map<string, number>>()
  return {
    keyFor(path, form) {
      const first = keyOf(form, 0)
      const node = path.replaceAll(/\[\d+\]/g, '[]')
      const counts = nodes.get(node) ?? new Map<string, number>()
      nodes.set(node, counts)
      const number = counts.get(first) ?? 0
      counts.set(first, number + 1)
      return number === 0 ? first : keyOf(form, number)
    },
  }
}
