// How an answer to what a run waited for is told. Pure.
import type { ApiFailure } from '#console/api/api-failure.ts'
import type { WaitAnswer } from '#console/api/types.ts'
import { locale } from '#console/lib/locale.ts'

export type Answered = Pick<WaitAnswer, 'decision' | 'by' | 'at'>

const others: Record<WaitAnswer['by']['kind'], string> = {
  person: 'Somebody',
  key: 'A key',
  token: 'A program',
  link: 'Somebody with the link',
  sender: 'The sender',
}

export const whoOf = ({ by }: Pick<Answered, 'by'>): string => by.name ?? others[by.kind]

const verbs = { approve: 'approved', reject: 'rejected' }

export const verbOf = ({ decision }: Pick<Answered, 'decision'>): string =>
  decision === undefined ? 'answered' : verbs[decision]

export const clockTime = (at: string): string =>
  new Date(at).toLocaleTimeString(locale, { hour: '2-digit', minute: '2-digit' })

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
