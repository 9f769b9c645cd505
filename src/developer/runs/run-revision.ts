// What a caller has seen of a run, in a text they send back: its status, when it was read, and a
// mark for the state of each node. So the server keeps nothing per reader, and the run need not
// count its changes on the path where they are written.
import { runStatuses } from '#core/run-states.ts'

type Seen = {
  status: string
  /** Calls that began or ended from then on may not have been seen. */
  callsFromMs: number
  marks: Int32Array
}

/** A call is stored after its time was taken, and clocks of processes differ a little. */
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

/** Null for anything that is not a revision of a run with so many nodes. */
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

/** FNV-1a over the node as it is shown: that two states of one node share a mark is 1 in 2^32. */
function markOf(node: object): number {
  const text = JSON.stringify(node)
  let mark = 0x811c9dc5
  for (let i = 0; i < text.length; i++) mark = Math.imul(mark ^ text.charCodeAt(i), 0x01000193)
  return mark | 0
}
