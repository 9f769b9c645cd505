import { Link } from '@tanstack/react-router'
import type { Live } from '#console/api/types.ts'
import { Card } from '#console/ui/card.tsx'
import { Meter } from '#console/ui/meter.tsx'
import { Money } from '#console/ui/money.tsx'
import { When } from '#console/ui/when.tsx'

/** What this hour costs, and how much of the month's limit is left for it. */
export function CostCard({ cost }: { cost: Live['cost'] }) {
  const { thisHour, thisMonth, inFlight, limit, reachedAt } = cost
  return (
    <Card title="Cost this hour">
      <div className="flex flex-col gap-2">
        <p className="font-semibold text-2xl">
          <Money value={thisHour} />
        </p>
        {inFlight.amount > 0 && (
          <p className="text-soft text-sm">
            Up to <Money value={inFlight} /> more is under way.
          </p>
        )}
        {limit ? (
          <>
            <Meter
              label="Spend this month against the limit"
              value={thisMonth.amount}
              max={limit.amount}
            />
            <p className="text-soft text-sm">
              <Money value={thisMonth} /> of <Money value={limit} /> this month.
            </p>
          </>
        ) : (
          <p className="text-soft text-sm">
            <Money value={thisMonth} /> this month.{' '}
            <Link to="/settings/account" className="text-accent underline">
              Set a limit
            </Link>
          </p>
        )}
        {reachedAt && (
          <p className="text-sm text-warn">
            At this rate the limit is reached <When at={reachedAt} />.
          </p>
        )}
      </div>
    </Card>
  )
}
