import type { ReactNode } from 'react'
import { type Polled, usePolled } from '#console/api/use-polled.ts'
import { Button } from '#console/ui/button.tsx'
import { Empty } from '#console/ui/empty.tsx'
import { Loadable } from '#console/ui/loadable.tsx'
import { Pager } from '#console/ui/pager.tsx'

type Listed = { readonly retryAfterSeconds: number }
type Answer<Item> = { items: Item[]; next: string | null }

type PolledList<Item> = {
  queryKey: readonly unknown[]
  read(signal: AbortSignal): Promise<Answer<Item>>
}

/** Even a quiet list is read now and then: API keys and other people also start work. */
export const usePolledList = <Item extends Listed>(options: PolledList<Item>) =>
  usePolled({
    ...options,
    retryAfterSeconds: ({ items }) =>
      items.reduce((soonest, item) => Math.min(soonest, item.retryAfterSeconds || soonest), 15),
  })

type SearchedListProps<Item> = {
  query: Polled<Answer<Item>>
  /** What is listed, in the plural: "runs". */
  noun: string
  skeleton: ReactNode
  search: { readonly cursor?: string | undefined }
  isFiltered: boolean
  onClear(): void
  onNext(cursor: string): void
  /** How many match in all, if that is known: "2,013". */
  total?: string | null
  /** What to add when nothing matches the filters. */
  unmatched?: ReactNode
  /** Shown when there is nothing at all yet. */
  nothing: ReactNode
  children(items: readonly Item[]): ReactNode
}

/** A filtered list, paged by cursor: its states and its pages. */
export function SearchedList<Item>(props: SearchedListProps<Item>) {
  const { query, noun, skeleton, search, isFiltered, onClear, onNext, children } = props
  const { total } = props
  return (
    <Loadable
      query={query}
      skeleton={skeleton}
      // A page may be empty and still have a next one: then there is more to search.
      isEmpty={({ items, next }) => items.length === 0 && next === null}
      empty={
        isFiltered || search.cursor ? (
          <Empty
            title={`No ${noun} match these filters`}
            action={<Button onClick={onClear}>Clear</Button>}
          >
            {props.unmatched}
          </Empty>
        ) : (
          props.nothing
        )
      }
    >
      {({ items, next }) => (
        <>
          {items.length === 0 ? (
            <p className="py-4 text-soft">None so far. There are older {noun} to search.</p>
          ) : (
            children(items)
          )}
          {(next || search.cursor || total) && (
            <Pager
              summary={total ? `${items.length} of ${total} ${noun}` : `${items.length} ${noun}`}
              onPrevious={search.cursor ? () => history.back() : undefined}
              onNext={next ? () => onNext(next) : undefined}
            />
          )}
        </>
      )}
    </Loadable>
  )
}
