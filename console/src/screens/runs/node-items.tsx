import { useQuery } from '@tanstack/react-query'
import { RotateCcw } from 'lucide-react'
import { useState } from 'react'
import { consoleCall } from '#console/api/console-api.ts'
import type { RunItem, RunNodeView } from '#console/api/types.ts'
import { hasEnded } from '#console/canvas/run/run-state.ts'
import { locale } from '#console/lib/locale.ts'
import { May } from '#console/shared/may.tsx'
import { Button } from '#console/ui/button.tsx'
import { Loadable } from '#console/ui/loadable.tsx'
import { Money } from '#console/ui/money.tsx'
import { Pager } from '#console/ui/pager.tsx'
import { SkeletonRows } from '#console/ui/skeleton-rows.tsx'
import { Switch } from '#console/ui/switch.tsx'
import { NodeStatus } from './node-status.tsx'
import { RetryDialog } from './retry-dialog.tsx'
import { useRun, useRunOnView } from './run-context.ts'
import { useNodeNames } from './use-node-names.ts'

const size = 50
const everyMs = 2_000

/** The items of a list, or the passes of a loop, a page at a time. */
export function NodeItems({ node }: { node: RunNodeView }) {
  const [page, setPage] = useState(1)
  const [onlyFailed, setOnlyFailed] = useState(false)
  const runId = useRun(({ run }) => run.runId)
  const isOver = useRun(({ run }) => hasEnded(run))
  const { path } = node
  const status = onlyFailed ? ('FAILED' as const) : undefined
  const items = useQuery({
    queryKey: ['run items', runId, path, { page, status, isOver }],
    queryFn: ({ signal }) =>
      consoleCall('GET /runs/{runId}/items', {
        params: { runId },
        query: { path, page, size, status },
        signal,
      }),
    placeholderData: (before) => before,
    refetchInterval: isOver ? false : everyMs,
  })
  const word = node.type === 'flow.repeat' ? 'Pass' : 'Item'
  return (
    <div className="flex flex-col gap-2">
      <ItemCounts path={path} isOver={isOver} />
      <Switch
        label="Only failed"
        checked={onlyFailed}
        onChange={(event) => {
          setOnlyFailed(event.currentTarget.checked)
          setPage(1)
        }}
      />
      <Loadable query={items} skeleton={<SkeletonRows />}>
        {({ items: shown, total, totalPages }) => (
          <>
            {shown.length === 0 && (
              <p className="text-soft text-sm">{onlyFailed ? 'None failed.' : 'None yet.'}</p>
            )}
            <ul className="flex flex-col divide-y divide-line">
              {shown.map((item) => (
                <ItemRow key={item.index} item={item} word={word} />
              ))}
            </ul>
            {totalPages > 1 && (
              <Pager
                summary={`${count((page - 1) * size + 1)}–${count((page - 1) * size + shown.length)} of ${count(total)}`}
                previousLabel="Previous"
                nextLabel="Next"
                onPrevious={page > 1 ? () => setPage(page - 1) : undefined}
                onNext={page < totalPages ? () => setPage(page + 1) : undefined}
              />
            )}
          </>
        )}
      </Loadable>
    </div>
  )
}

/** "9,812 done, 14 failed", and what can be done about those. */
function ItemCounts({ path, isOver }: { path: string; isOver: boolean }) {
  const { store } = useRunOnView()
  const nameOf = useNodeNames()
  const mayRetry = useRun(({ run }) => run.status === 'COMPLETED' || run.status === 'FAILED')
  const runId = useRun(({ run }) => run.runId)
  const [isRetrying, setRetrying] = useState(false)
  const counts = useQuery({
    queryKey: ['run item counts', runId, path, isOver],
    queryFn: async ({ signal }) => {
      const totalOf = async (status: 'COMPLETED' | 'FAILED') => {
        const query = { path, status, size: 1 }
        const params = { runId }
        return (await consoleCall('GET /runs/{runId}/items', { params, query, signal })).total
      }
      const [done, failed] = await Promise.all([totalOf('COMPLETED'), totalOf('FAILED')])
      return { done, failed }
    },
    refetchInterval: isOver ? false : everyMs,
  })
  if (!counts.data) return null
  const { done, failed } = counts.data
  return (
    <div className="flex min-h-8 flex-wrap items-center justify-between gap-2">
      <p className="text-sm">
        {count(done)} done{failed > 0 && <span className="text-bad">, {count(failed)} failed</span>}
      </p>
      {failed > 0 && mayRetry && (
        <May need="editor">
          <Button
            size="small"
            icon={<RotateCcw size={14} aria-hidden />}
            onClick={() => setRetrying(true)}
          >
            Retry failed
          </Button>
        </May>
      )}
      {isRetrying && (
        <RetryDialog state={store.getState()} nameOf={nameOf} onClose={() => setRetrying(false)} />
      )}
    </div>
  )
}

const count = (number: number) => number.toLocaleString(locale)

function ItemRow({ item, word }: { item: RunItem; word: string }) {
  const { select } = useRunOnView()
  return (
    <li className="flex flex-col gap-1 py-2">
      <div className="flex flex-wrap items-center justify-between gap-2">
        <button
          type="button"
          className="rounded-sm text-left font-semibold underline-offset-4 hover:underline"
          onClick={() => select(item.path)}
        >
          {word} {item.index + 1}
        </button>
        <span className="flex items-center gap-3">
          <Money value={item.cost} />
          <NodeStatus worked={item} />
        </span>
      </div>
      {item.error && (
        <p className="text-sm [overflow-wrap:anywhere]">
          <code className="text-soft">{item.error.code}</code> {item.error.message}
        </p>
      )}
    </li>
  )
}
