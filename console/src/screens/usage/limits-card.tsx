import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { consoleCall } from '#console/api/console-api.ts'
import type { SpendLimits } from '#console/api/types.ts'
import { Card } from '#console/ui/card.tsx'
import { Loadable } from '#console/ui/loadable.tsx'
import { Meter } from '#console/ui/meter.tsx'
import { Money } from '#console/ui/money.tsx'
import { Skeleton } from '#console/ui/skeleton.tsx'
import { When } from '#console/ui/when.tsx'

export function LimitsCard() {
  const limits = useQuery({
    queryKey: ['spend-limits'],
    queryFn: ({ signal }) => consoleCall('GET /spend-limits', { signal }),
  })
  return (
    <Card title="Limits">
      <Loadable query={limits} skeleton={<Skeleton className="h-16" />}>
        {(data) => <Limits limits={data} />}
      </Loadable>
    </Card>
  )
}

const Limits = ({ limits: { account, keys, resetsAt } }: { limits: SpendLimits }) => (
  <div className="flex flex-col gap-4">
    <Limit name="This month" spend={account} />
    {!account.limit && (
      <p className="text-soft text-sm">
        No limit is set.{' '}
        <Link to="/settings/account" className="underline">
          Set one
        </Link>{' '}
        and calls beyond it are refused before they cost anything.
      </p>
    )}
    {keys.map((key) => (
      <Limit key={key.keyId} name={`Key “${key.name}”`} spend={key} />
    ))}
    <p className="text-soft text-sm">
      Today <Money value={account.today} />. The month ends <When at={resetsAt} /> (UTC).
    </p>
  </div>
)

type LimitProps = { name: string; spend: Omit<SpendLimits['keys'][number], 'keyId' | 'name'> }

const Limit = ({ name, spend: { thisMonth, inFlight, limit } }: LimitProps) => (
  <div className="flex flex-col gap-1">
    <div className="flex flex-wrap justify-between gap-2">
      <span>{name}</span>
      <span>
        <Money value={thisMonth} />
        {limit && (
          <span className="text-soft">
            {' of '}
            <Money value={limit} />
          </span>
        )}
      </span>
    </div>
    {limit && (
      <Meter
        label={`${name}: spend against the limit`}
        value={thisMonth.amount + inFlight.amount}
        max={limit.amount}
      />
    )}
    {inFlight.amount > 0 && (
      <p className="text-soft text-xs">
        <Money value={inFlight} /> reserved for calls in progress
      </p>
    )}
  </div>
)
