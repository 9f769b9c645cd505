// What a person enters to set or raise a budget, as text, and what is wrong with it.
import type { Budget } from '#console/api/types.ts'

export type Scope = Budget['scope']
export type Period = Budget['period']

export type BudgetDraft = { scope: Scope; target: string; period: Period; limit: string }

export const emptyDraft: BudgetDraft = { scope: 'account', target: '', period: 'month', limit: '' }

export const scopeNames: Record<Scope, string> = {
  account: 'The whole account',
  tag: 'A tag',
  key: 'A key',
  workflow: 'A workflow',
}

export const periodNames: Record<Period, string> = { day: 'Per day', month: 'Per month' }

export const budgetTitle = ({ scope, target, name }: Budget): string =>
  scope === 'account' ? 'Account' : `${titles[scope]} ${name ?? target ?? ''}`

const titles = { tag: 'Tag', key: 'Key', workflow: 'Workflow' }

/** What names a budget to the server. */
export const nameOf = ({
  scope,
  target,
  period,
}: Pick<BudgetDraft, 'scope' | 'period'> & {
  target: string | null
}) => ({ scope, period, ...(scope === 'account' || target === null ? {} : { target }) })

/** Null if the text is no amount. */
export function amountOf(text: string): number | null {
  const amount = Number(text.trim())
  const isAmount = text.trim() !== '' && Number.isFinite(amount)
  return isAmount && amount >= 0 && amount <= 1_000_000_000 ? amount : null
}

export type DraftProblems = { target?: string; limit?: string }

export function problemsOf({ scope, target, limit }: BudgetDraft): DraftProblems {
  const isNamed = scope === 'account' || target.trim() !== ''
  return {
    ...(isNamed ? {} : { target: 'Say which one.' }),
    ...(amountOf(limit) === null ? { limit: 'Enter an amount from 0 to 1,000,000,000.' } : {}),
  }
}
