// How an answer to what a run waited for is told. Pure.
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
