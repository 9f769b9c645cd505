import type { ReactNode } from 'react'
import { useDelayed } from '#console/lib/use-delayed.ts'
import { Failure, type FailureFacts } from './failure.tsx'
import { NoRight } from './no-right.tsx'
import { StaleNote } from './stale-note.tsx'

/** Fits both a react-query query and a polled read. */
export type Loading<T> = {
  data: T | undefined
  error: (Error & Partial<FailureFacts>) | null
  isPending: boolean
  dataUpdatedAt?: number
  /** `paused`: the server cannot be reached, so no request was made. */
  fetchStatus?: 'fetching' | 'paused' | 'idle'
  staleSinceMs?: number | null
  refetch(): unknown
}

type LoadableProps<T> = {
  query: Loading<T>
  /** The real layout in grey, shown after 150 ms. */
  skeleton: ReactNode
  /** Shown instead of the children if `isEmpty` holds. */
  empty?: ReactNode
  isEmpty?(data: T): boolean
  children: (data: T) => ReactNode
}

/** The five states of everything that is read from the server, shown the same everywhere. */
export function Loadable<T>({ query, skeleton, empty, isEmpty, children }: LoadableProps<T>) {
  const isSlow = useDelayed(query.data === undefined && query.error === null)
  const retry = () => void query.refetch()
  if (query.data !== undefined) {
    const staleSince = query.staleSinceMs ?? (query.error ? (query.dataUpdatedAt ?? null) : null)
    return (
      <>
        {staleSince !== null && query.error && (
          <StaleNote sinceMs={staleSince} reason={query.error.message} onRetry={retry} />
        )}
        {empty !== undefined && isEmpty?.(query.data) ? empty : children(query.data)}
      </>
    )
  }
  if (query.error?.status === 403) return <NoRight missing={query.error.message} />
  if (query.error) return <Failure failure={query.error} onRetry={retry} />
  if (query.fetchStatus === 'paused')
    return <p className="text-soft">This will load as soon as the server can be reached.</p>
  return (
    <div aria-busy="true" role="status">
      <span className="sr-only">Loading</span>
      {isSlow && skeleton}
    </div>
  )
}
