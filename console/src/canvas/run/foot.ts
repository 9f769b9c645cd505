// The line at the foot of a card: the state of its node in the shown run, in words. Pure.
import type { LoopProgress, NodeError, RunNode, ShownWait } from '#console/api/types.ts'
import { locale } from '#console/lib/locale.ts'
import { formatMoney } from '#console/lib/money.ts'
import { clockTime, formatDuration } from '#console/lib/time.ts'
import { whoOf } from '#console/shared/answer-words.ts'
import { waitWords } from '#console/shared/wait-words.ts'
import type { StatusKind } from '#console/ui/status.tsx'
import { outcomeUnknown } from './failure-advice.ts'
import { closedWait, nodeState, notReached } from './node-state.ts'
import { hasEnded, type RunState } from './run-state.ts'
import type { Preview } from './shown-run.ts'

export type Foot = { readonly kind: StatusKind; readonly text: string }

export type NodeInRun = {
  readonly node: RunNode
  readonly error: NodeError | null
  readonly wait: ShownWait | null
  /** What it waited for, once that is over. */
  readonly closed?: ShownWait | undefined
  readonly isOver: boolean
  /** Of a list that is worked on. */
  readonly loop?: LoopProgress | undefined
  /** Its result was pinned, so that the run did not execute it. */
  readonly isPinned: boolean
}

/** Null if the node did not exist when this run was started. */
export function nodeInRun(
  { run, nodes, waits, loops }: RunState,
  nodeId: string,
): NodeInRun | null {
  const node = nodes[nodeId]
  if (!node) return null
  return {
    node,
    error: run.nodeErrors.find((one) => one.nodeId === nodeId) ?? null,
    wait: waits.find((one) => one.nodeId === nodeId && one.status === 'OPEN') ?? null,
    closed: closedWait(waits, nodeId),
    isOver: hasEnded(run),
    loop: loops[nodeId],
    isPinned: isPinnedIn(run, nodeId),
  }
}

export const isPinnedIn = ({ pins }: RunState['run'], nodeId: string): boolean =>
  pins !== undefined && Object.hasOwn(pins, nodeId)

export function footOf(inRun: NodeInRun, nowMs: number): Foot {
  const { node, error, wait, closed, isOver, isPinned, loop } = inRun
  const { kind, label } = nodeState(node, node.type, closed)
  switch (node.status) {
    case 'PENDING':
      return isOver ? { kind: notReached.kind, text: notReached.label } : { kind, text: 'Queued' }
    case 'RUNNING':
      if (node.waitReason) return { kind: 'waiting', text: waitWords(node.waitReason) }
      return {
        kind,
        text: [clockOf(node, nowMs) ?? label, loopText(loop)].filter(Boolean).join(' · '),
      }
    case 'WAITING':
      return {
        kind,
        text: wait ? `${label} since ${clockTime(Date.parse(wait.since), locale)}` : label,
      }
    case 'COMPLETED':
      if (isPinned) return { kind, text: 'Pinned result' }
      if (node.reusedFrom)
        return {
          kind: 'reused',
          text: [reusedText(node), savedOf(node)].filter(Boolean).join(' · '),
        }
      if (closed && closed.kind !== 'DELAY') return { kind, text: closedText(closed) }
      return { kind, text: [tookOf(node), costOf(node)].filter(Boolean).join(' · ') || 'Done' }
    case 'FAILED':
      return error?.code === outcomeUnknown
        ? { kind: 'warn', text: 'Outcome unknown' }
        : { kind, text: `Failed: ${errorWords(error)}` }
    default:
      return { kind, text: label }
  }
}

const clockOf = ({ startedAt }: RunNode, nowMs: number) =>
  startedAt === null ? null : elapsed(nowMs - Date.parse(startedAt))

const loopText = (loop: LoopProgress | undefined): string =>
  loop ? `${loop.done} of ${loop.total}` : ''

const verbs = { approve: 'Approved', reject: 'Rejected' }

/** "Rejected by Bea at 09:14", "Approved by Bea after 3 min". */
function closedText({ status, since, answer }: ShownWait): string {
  if (!answer) return status === 'EXPIRED' ? 'Expired: nobody answered' : 'Closed with the run'
  const { decision, at } = answer
  const who = answer.by.name ?? whoOf(answer).toLowerCase()
  const said = `${decision ? verbs[decision] : 'Answered'} by ${who}`
  if (decision === 'reject') return `${said} at ${clockTime(Date.parse(at), locale)}`
  return `${said} after ${formatDuration(Math.max(0, Date.parse(at) - Date.parse(since)))}`
}

const tookOf = ({ startedAt, completedAt }: RunNode): string =>
  startedAt && completedAt
    ? formatDuration(Math.max(0, Date.parse(completedAt) - Date.parse(startedAt)))
    : ''

const costOf = ({ cost }: RunNode): string =>
  cost && cost.amount > 0 ? formatMoney(cost.amount, cost.currency, locale) : ''

/** "Reused from 12:04". */
const reusedText = ({ reusedFrom }: RunNode): string =>
  `Reused${reusedFrom ? ` from ${clockTime(Date.parse(reusedFrom.at), locale)}` : ''}`

const savedOf = ({ savedCost }: RunNode): string =>
  savedCost && savedCost.amount > 0
    ? `saved ${formatMoney(savedCost.amount, savedCost.currency, locale)}`
    : ''

/** "RATE_LIMITED" reads "rate limited". */
const errorWords = (error: NodeError | null): string =>
  (error?.code ?? 'unknown').toLowerCase().replaceAll('_', ' ')

/** "0:07", as a running clock shows it. */
function elapsed(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000))
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`
}

const kinds: Record<Preview['kind'], string> = {
  empty: 'nothing',
  text: 'text',
  number: 'number',
  boolean: 'yes or no',
  media: 'picture',
  list: 'list',
  json: 'JSON',
}

/** What a screen reader adds to a node: "done, 5.3 s, $0.03, picture". */
export function spoken(inRun: NodeInRun, previews: readonly Preview[] | undefined): string {
  const { text } = footOf(inRun, Date.now())
  const isDone = inRun.node.status === 'COMPLETED' && !inRun.closed
  const state = isDone ? `done, ${text.replaceAll(' · ', ', ')}` : text
  const result = previews?.[0]
  return result ? `${state}, ${resultWords(result)}` : state
}

const resultWords = ({ kind, count, media }: Preview): string =>
  kind === 'list'
    ? `list of ${count}`
    : media[0]?.mimeType.startsWith('video/')
      ? 'video'
      : kinds[kind]

/** How far the run is, for people who cannot see it. */
export function progressWords(
  { run, nodes }: RunState,
  nameOf: (nodeId: string) => string,
): string {
  const { completed, skipped, total } = run.progress
  const active = Object.values(nodes).find(({ status }) => status === 'RUNNING')
  const waiting = Object.values(nodes).find(({ status }) => status === 'WAITING')
  const doing = active
    ? `, ${nameOf(active.nodeId)} running`
    : waiting
      ? `, ${nameOf(waiting.nodeId)} is waiting`
      : ''
  return `${completed + skipped} of ${total} done${doing}`
}
