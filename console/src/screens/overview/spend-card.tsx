import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { consoleCall } from '#console/api/console-api.ts'
import { Card } from '#console/ui/card.tsx'
import { Loadable } from '#console/ui/loadable.tsx'
import { Meter } from '#console/ui/meter.tsx'
import { Money } from '#console/ui/money.tsx'
import { Skeleton } from '#console/ui/skeleton.tsx'
import { When } from '#console/ui/when.tsx'

export function SpendCard() {
  const query = useQuery({
    queryKey: ['spend-limits'],
    queryFn: ({ signal }) => consoleCall('GET /spend-limits', { signal }),
  })
  return (
    <Card
      title="Spend this month"
      actions={
        <Link to="/usage" className="text-accent text-sm underline">
          Usage
        </Link>
      }
    >
      <Loadable query={query} skeleton={<Skeleton className="h-16 w-full" />}>
        {({ account, resetsAt }) => (
          <div className="flex flex-col gap-2">
            <p className="font-semibold text-2xl">
              <Money value={account.thisMonth} />
            </p>
            {account.limit ? (
              <>
                <Meter
                  label="Spend against the limit"
                  value={account.thisMonth.amount}
                  max={account.limit.amount}
                />
                <p className="text-soft text-sm">
                  of <Money value={account.limit} />, resets <When at={resetsAt} />
                </p>
              </>
            ) : (
              <p className="text-soft text-sm">
                <Money value={account.today} /> today.{' '}
                <Link to="/settings/account" className="text-accent underline">
                  Set a limit
                </Link>
              </p>
            )}
          </div>
        )}
      </Loadable>
    </Card>
  )
}
