import { useQuery } from '@tanstack/react-query'
import { consoleCall } from '#console/api/console-api.ts'
import type { RetryPreview, RetryRequest } from '#console/api/types.ts'
import { counted } from '#console/lib/counted.ts'
import { locale } from '#console/lib/locale.ts'
import { formatMoney } from '#console/lib/money.ts'
import { Banner } from '#console/ui/banner.tsx'
import { Loadable } from '#console/ui/loadable.tsx'
import { Money } from '#console/ui/money.tsx'
import { Skeleton } from '#console/ui/skeleton.tsx'
import type { NodeNames } from './node-names.ts'

type RetryFactsProps = {
  runId: string
  version: NonNullable<RetryRequest['version']>
  nameOf: NodeNames
}

/** What the chosen retry reuses, what it runs and what that may cost, as the server says. */
export function RetryFacts({ runId, version, nameOf }: RetryFactsProps) {
  const preview = useQuery({
    queryKey: ['retry preview', runId, version],
    queryFn: ({ signal }) =>
      consoleCall('GET /runs/{runId}/retry-preview', {
        params: { runId },
        query: { version },
        signal,
      }),
    staleTime: 0,
  })
  return (
    <Loadable query={preview} skeleton={<Skeleton className="h-20" />}>
      {(facts) =>
        facts.problem ? (
          <Banner tone="warn" title="This version cannot be run">
            {facts.problem}
          </Banner>
        ) : (
          <Facts {...facts} nameOf={nameOf} />
        )
      }
    </Loadable>
  )
}

function Facts({
  reused,
  reusedCalls,
  savedCost,
  willRun,
  estimate,
  nameOf,
}: RetryPreview & {
  nameOf: NodeNames
}) {
  return (
    <dl className="grid grid-cols-[auto_1fr] gap-x-4 gap-y-2">
      <dt className="text-soft">Reused</dt>
      <dd>
        {reused.length === 0 && reusedCalls === 0 ? (
          'Nothing'
        ) : (
          <>
            {namesOf(reused, nameOf)}
            {reusedCalls > 0 && (
              <span className="block text-soft text-sm">
                {counted(reusedCalls, 'call')}, which cost <Money value={savedCost} /> and need not
                be paid again
              </span>
            )}
          </>
        )}
      </dd>
      <dt className="text-soft">Will run</dt>
      <dd>{willRun.length === 0 ? 'Nothing' : namesOf(willRun, nameOf)}</dd>
      <dt className="text-soft">Cost</dt>
      <dd>{estimate ? costText(estimate) : 'Not known'}</dd>
    </dl>
  )
}

const mostNames = 6

function namesOf(ids: readonly string[], nameOf: NodeNames): string {
  const shown = ids.slice(0, mostNames).map(nameOf).join(', ')
  return ids.length > mostNames ? `${shown} and ${ids.length - mostNames} more` : shown
}

function costText({
  estimatedCost,
  lowCost,
  highCost,
  currency,
}: NonNullable<RetryPreview['estimate']>): string {
  const amount = (value: number) => formatMoney(value, currency, locale)
  const about = `About ${amount(estimatedCost)}`
  return lowCost === highCost ? about : `${about} (${amount(lowCost)} to ${amount(highCost)})`
}
