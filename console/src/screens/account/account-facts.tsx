import type { Account } from '#console/api/types.ts'
import { Money } from '#console/ui/money.tsx'

/** The account's settings, for people who do not own it. */
export function AccountFacts({ account }: { account: Account }) {
  return (
    <div className="flex flex-col gap-3">
      <p>
        <b className="font-semibold [overflow-wrap:anywhere]">{account.name}</b>,{' '}
        {account.spendLimit === null ? (
          'without a spend limit.'
        ) : (
          <>
            limited to <Money value={{ amount: account.spendLimit, currency: 'USD' }} /> a month.
          </>
        )}
      </p>
      <p className="text-soft text-sm">Its owners can change this.</p>
    </div>
  )
}
