import type { Route } from '#console/api/types.ts'
import type { Placing, Reason } from './route-draft.ts'

export const placingWords: Record<Placing, string> = {
  order: 'As listed',
  weight: 'By weight',
  price: 'The cheapest first',
  latency: 'The quickest first',
}

export const reasonWords: Record<Reason, { label: string; hint: string }> = {
  connect: { label: 'It cannot be reached', hint: 'Or it is paused because it kept failing.' },
  rate_limit: { label: 'It is busy', hint: 'Too many requests, or overloaded.' },
  unavailable: { label: 'It refuses for a reason of its own', hint: 'A wrong key, no such model.' },
  context: { label: 'The input does not fit', hint: 'Another model may have a larger context.' },
  content: {
    label: 'It refuses the content',
    hint: 'An answer that it blocked may have been billed: both calls are in the ledger.',
  },
  timeout: {
    label: 'It does not accept in time',
    hint: 'Only if it was surely not sent, or if you choose to pay twice.',
  },
}

export const placingOf = ({ sort = 'order', candidates }: Route): Placing =>
  candidates.some(({ weight }) => weight !== undefined) ? 'weight' : sort
