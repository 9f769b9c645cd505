import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { ChartColumn, Download } from 'lucide-react'
import { consoleCall } from '#console/api/console-api.ts'
import { saveText } from '#console/lib/save-text.ts'
import { useNow } from '#console/lib/use-now.ts'
import { UsageLinks } from '#console/shared/usage-links.tsx'
import { Button } from '#console/ui/button.tsx'
import { buttonClass } from '#console/ui/button-class.ts'
import { Empty } from '#console/ui/empty.tsx'
import { Loadable } from '#console/ui/loadable.tsx'
import { Page } from '#console/ui/page.tsx'
import { Skeleton } from '#console/ui/skeleton.tsx'
import { knownZone, todayIn, type UsageSearch, usageQuery } from './address.ts'
import { BucketCalls } from './bucket-calls.tsx'
import { EstimateTable } from './estimate-table.tsx'
import { LimitsCard } from './limits-card.tsx'
import { usageCsv } from './measure.ts'
import { UnsettledCard } from './unsettled-card.tsx'
import { UsageChart } from './usage-chart.tsx'
import { UsageFilters } from './usage-filters.tsx'
import { UsageTable } from './usage-table.tsx'

const route = getRouteApi('/framed/usage')

export function UsageScreen() {
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const tz = knownZone(search.tz)
  // Refreshed every minute, so that a page left open overnight shows the new day.
  const query = usageQuery(search, { tz, today: todayIn(tz, useNow(60_000)) })
  const usage = useQuery({
    queryKey: ['usage', query],
    queryFn: ({ signal }) => consoleCall('GET /usage', { query, signal }),
    placeholderData: (before) => before,
  })
  const change = (next: UsageSearch) =>
    void navigate({ search: { ...search, at: undefined, ...next }, replace: true })
  const { measure = 'cost' } = search
  const opened = usage.data?.buckets.find(({ key }) => key === search.at)
  return (
    <>
      <UsageLinks />
      <Page
        title="Usage"
        lead="What your account spent, and the calls behind it."
        actions={
          usage.data && (
            <Button
              icon={<Download size={16} aria-hidden />}
              onClick={() =>
                usage.data && saveText(usageCsv(usage.data), csvName(query), 'text/csv')
              }
            >
              CSV
            </Button>
          )
        }
      >
        <UsageFilters search={search} days={query} tz={tz} onChange={change} />
        <Loadable
          query={usage}
          skeleton={<UsageSkeleton />}
          isEmpty={(data) => data.total.calls === 0 && data.previous.calls === 0}
          empty={
            <>
              <Empty
                icon={<ChartColumn size={24} aria-hidden />}
                title="No calls in this period"
                action={
                  <Link to="/playground/image" className={buttonClass('primary')}>
                    Make an image
                  </Link>
                }
              >
                Every call to a model appears here within a second, with its tokens and its cost.
                The demo models cost nothing.
              </Empty>
              <LimitsCard />
              <UnsettledCard />
            </>
          }
        >
          {(data) => (
            <>
              <UsageChart usage={data} measure={measure} onOpen={(at) => change({ at })} />
              <div className="grid gap-6 lg:grid-cols-2">
                <LimitsCard />
                <EstimateTable usage={data} />
              </div>
              <UnsettledCard />
              <UsageTable usage={data} measure={measure} onOpen={(at) => change({ at })} />
            </>
          )}
        </Loadable>
        {opened && <BucketCalls bucket={opened} tag={search.tag} onClose={() => change({})} />}
      </Page>
    </>
  )
}

const csvName = ({ from, to, split, tag }: ReturnType<typeof usageQuery>): string =>
  `usage-${from}-${to}-by-${split}${tag ? `-${tag.replace(/[^\w.-]/g, '_')}` : ''}.csv`

const UsageSkeleton = () => (
  <div className="flex flex-col gap-6">
    <Skeleton className="h-80 w-full rounded-md" />
    <div className="grid gap-6 lg:grid-cols-2">
      <Skeleton className="h-40 rounded-md" />
      <Skeleton className="h-40 rounded-md" />
    </div>
  </div>
)
