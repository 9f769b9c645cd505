// What the inbox says, and where it goes next. Pure.
import type { ApiFailure } from '#console/api/api-failure.ts'
import type { WaitSummary } from '#console/api/types.ts'
import { type Answered, clockTime, verbOf, whoOf } from '#console/shared/answer-words.ts'

/** "Bea approved this at 12:04.", if that is why an answer came too late. */
export function lateText(failure: ApiFailure): string | null {
  const { code, details } = failure
  if (code === 'WAIT_EXPIRED') return 'The time to answer this has passed.'
  if (code === 'WAIT_CANCELLED') return 'The run no longer waits for this.'
  if (code !== 'WAIT_ALREADY_ANSWERED') return null
  const first = (details as { answer?: Answered } | undefined)?.answer
  if (!first) return failure.message
  return `${whoOf(first)} ${verbOf(first)} this at ${clockTime(first.at)}.`
}

type Place = Pick<WaitSummary, 'waitId' | 'runId'>

/** The one after this, or before it at the end; null if it is the only one. */
export function nextAfter<T extends Place>(items: readonly T[], waitId: string): T | null {
  const index = items.findIndex((item) => item.waitId === waitId)
  return items[index + 1] ?? items[index - 1] ?? null
}

/** `by` steps away, within the list. */
export function stepFrom<T extends Place>(
  items: readonly T[],
  waitId: string | undefined,
  by: 1 | -1,
): T | null {
  const index = items.findIndex((item) => item.waitId === waitId)
  if (index === -1) return items[0] ?? null
  return items[Math.min(Math.max(index + by, 0), items.length - 1)] ?? null
}

export const titleOf = ({ title, kind, nodeId }: Pick<WaitSummary, 'title' | 'kind' | 'nodeId'>) =>
  title !== '' ? title : kind === 'CALLBACK' ? `Message for ${nodeId}` : nodeId
