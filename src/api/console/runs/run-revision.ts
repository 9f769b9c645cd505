// A revision says what a caller has seen of a run: its status, when it was read, and a hash of the
// state of each node. The caller sends it back with the next read. This way the server stores
// nothing per reader, and writing a run does not have to count its changes.
import { runStatuses } from '#core/run-states.ts'

type Seen = {
  status: string
  /** The caller may not have seen calls that began or ended since then. */
  callsFromMs: number
  marks: Int32Array
}

/** A call's time is taken before it is stored, and the clocks of processes differ a little. */
const overlapMs = 10_000

export function writeRevision(seen: {
  status: (typeof runStatuses)[number]
  nowMs: number
  nodes: readonly object[]
}): string {
  const marks = Int32Array.from(seen.nodes, markOf)
  const status = runStatuses.indexOf(seen.status)
  return `${status}.${seen.nowMs.toString(36)}.${Buffer.from(marks.buffer).toString('base64url')}`
}

/** Null for anything that is not a revision of a run with this many nodes. */
export function readRevision(text: string | undefined, nodeCount: number): Seen | null {
  const [, status = '', time = '', marks = ''] =
    /^([0-5])\.([0-9a-z]{1,9})\.([A-Za-z0-9_-]*)$/.exec(text ?? '') ?? []
  const bytes = Buffer.from(marks, 'base64url')
  if (time === '' || bytes.length !== nodeCount * 4) return null
  return {
    status: runStatuses[Number(status)] ?? '',
    callsFromMs: Number.parseInt(time, 36) - overlapMs,
    marks: new Int32Array(new Uint8Array(bytes).buffer),
  }
}

export const changedNodes = <Node extends object>(
  { marks }: Seen,
  nodes: readonly Node[],
): Node[] => nodes.filter((node, i) => markOf(node) !== marks[i])

/** FNV-1a of the public node record: two states of a node collide with a chance of 1 in 2^32. */
function markOf(node: object): number {
  const text = JSON.stringify(node)
  let mark = 0x811c9dc5
  for (let i = 0; i < text.length; i++) mark = Math.imul(mark ^ text.charCodeAt(i), 0x01000193)
  return mark | 0
}
