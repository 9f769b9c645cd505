import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { consoleCall } from '#console/api/console-api.ts'
import { locale } from '#console/lib/locale.ts'
import { formatMoney } from '#console/lib/money.ts'
import { clockTime } from '#console/lib/time.ts'
import { BarChart } from '#console/ui/bar-chart.tsx'
import { Card } from '#console/ui/card.tsx'
import { Loadable } from '#console/ui/loadable.tsx'
import { Skeleton } from '#console/ui/skeleton.tsx'

const shownHours = 24
const dayMs = 24 * 3_600_000
const dayOf = (ms: number) => new Date(ms).toISOString().slice(0, 10)

/** What each of the last 24 hours cost. */
export function HoursCard() {
  const query = useQuery({
    queryKey: ['usage', 'hours'],
    queryFn: ({ signal }) => {
      const now = Date.now()
      const span = { from: dayOf(now - dayMs), to: dayOf(now), tz: 'UTC' }
      return consoleCall('GET /usage', { query: { ...span, by: 'hour', split: 'model' }, signal })
    },
    refetchInterval: 60_000,
  })
  return (
    <Card
      title="The last 24 hours"
      actions={
        <Link to="/usage" className="text-accent text-sm underline">
          Usage
        </Link>
      }
    >
      <Loadable query={query} skeleton={<Skeleton className="h-56 w-full" />}>
        {({ buckets, total }) => (
          <BarChart
            label="Cost per hour"
            series={[{ key: 'cost', label: 'Cost per hour' }]}
            bars={buckets
              .filter(({ startsAt }) => Date.parse(startsAt) <= Date.now())
              .slice(-shownHours)
              .map(({ key, startsAt, series }) => ({
                key,
                label: clockTime(Date.parse(startsAt), locale),
                values: { cost: series.reduce((sum, { cost }) => sum + cost.amount, 0) },
              }))}
            format={(amount) => formatMoney(amount, total.cost.currency, locale)}
          />
        )}
      </Loadable>
    </Card>
  )
}
