import { getRouteApi, Link } from '@tanstack/react-router'
import { Inbox } from 'lucide-react'
import { useState } from 'react'
import { useShortcut } from '#console/lib/use-shortcut.ts'
import { useInbox } from '#console/shared/use-inbox.ts'
import { WaitBody } from '#console/shared/waits/wait-body.tsx'
import { Button } from '#console/ui/button.tsx'
import { Empty } from '#console/ui/empty.tsx'
import { Loadable } from '#console/ui/loadable.tsx'
import { Page } from '#console/ui/page.tsx'
import { SkeletonRows } from '#console/ui/skeleton-rows.tsx'
import { Switch } from '#console/ui/switch.tsx'
import { TextFilter } from '#console/ui/text-filter.tsx'
import type { InboxSearch } from './address.ts'
import { nextAfter, stepFrom } from './inbox-words.ts'
import { WaitList } from './wait-list.tsx'

const route = getRouteApi('/framed/inbox')

/** What waits for an answer: the list, and the chosen one beside it or, on a phone, in its place. */
export function InboxScreen() {
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const [pages, setPages] = useState(1)
  const [last, setLast] = useState<Answered | null>(null)
  const query = useInbox({
    ...{ mine: search.show !== 'all', pages },
    ...(search.q ? { q: search.q } : {}),
  })
  const items = query.data?.items ?? []
  const go = (change: Partial<InboxSearch>) =>
    void navigate({ search: { ...search, ...change } as InboxSearch, replace: true })
  const open = (place: { runId: string; waitId: string } | null) =>
    go({ run: place?.runId, wait: place?.waitId } as Partial<InboxSearch>)
  const step = (by: 1 | -1) => open(stepFrom(items, search.wait, by))
  useShortcut('j', 'Next', () => step(1))
  useShortcut('k', 'Previous', () => step(-1))
  // On a wide screen something is always open.
  const first = items[0]
  const shown = search.wait && search.run ? { runId: search.run, waitId: search.wait } : null
  return (
    <Page
      title="Inbox"
      lead="What runs wait for. Answer, and they go on."
      actions={<Filters search={search} onChange={go} />}
    >
      {last && <LastAnswer {...last} />}
      <Loadable query={query} skeleton={<SkeletonRows />}>
        {({ items: waits, next }) =>
          waits.length === 0 && !shown ? (
            <Nothing search={search} onClear={() => go({ q: undefined } as Partial<InboxSearch>)} />
          ) : (
            <div className="grid gap-6 md:grid-cols-[minmax(14rem,20rem)_minmax(0,1fr)]">
              <div className={shown ? 'max-md:hidden' : ''}>
                <WaitList items={waits} selected={shown?.waitId ?? first?.waitId} onOpen={open} />
                {next && (
                  <Button size="small" className="mt-3" onClick={() => setPages(pages + 1)}>
                    Show more
                  </Button>
                )}
              </div>
              <Chosen
                chosen={shown ?? first ?? null}
                isAsked={shown !== null}
                onBack={() => open(null)}
                onLate={open}
                onDone={({ runId, waitId }, said) => {
                  setLast(said ? { runId, said } : null)
                  open(nextAfter(waits, waitId))
                }}
              />
            </div>
          )
        }
      </Loadable>
    </Page>
  )
}

type Answered = { runId: string; said: string }

/** Stays when what was answered has left the list, unlike the message about it. */
function LastAnswer({ runId, said }: Answered) {
  return (
    <p className="mb-4">
      {said}, and its run went on.{' '}
      <Link to="/runs/$runId" params={{ runId }} className="text-accent underline">
        Show its result
      </Link>
    </p>
  )
}

type ChosenProps = {
  chosen: { runId: string; waitId: string } | null
  /** On a phone only what was asked for takes the place of the list. */
  isAsked: boolean
  onBack(): void
  /** Keeps it open although it has left the list. */
  onLate(chosen: { runId: string; waitId: string }): void
  onDone(chosen: { runId: string; waitId: string }, said?: string): void
}

function Chosen({ chosen, isAsked, onBack, onLate, onDone }: ChosenProps) {
  if (!chosen) return null
  return (
    <div className={isAsked ? '' : 'max-md:hidden'}>
      <Button variant="quiet" size="small" className="mb-3 md:hidden" onClick={onBack}>
        Back to the list
      </Button>
      <WaitBody
        isTitled
        key={chosen.waitId}
        runId={chosen.runId}
        waitId={chosen.waitId}
        onLate={() => onLate(chosen)}
        onDone={(said) => onDone(chosen, said)}
      />
    </div>
  )
}

type FiltersProps = { search: InboxSearch; onChange(change: Partial<InboxSearch>): void }

function Filters({ search, onChange }: FiltersProps) {
  return (
    <>
      <TextFilter
        label="Search the inbox"
        value={search.q ?? ''}
        onChange={(q) => onChange({ q: q || undefined } as Partial<InboxSearch>)}
      />
      <Switch
        label="Also for others"
        checked={search.show === 'all'}
        onChange={(event) =>
          onChange({ show: event.target.checked ? 'all' : undefined } as Partial<InboxSearch>)
        }
      />
    </>
  )
}

function Nothing({ search, onClear }: { search: InboxSearch; onClear(): void }) {
  if (search.q) {
    return (
      <Empty
        icon={<Inbox size={24} aria-hidden />}
        title={`Nothing matches “${search.q}”`}
        action={<Button onClick={onClear}>Clear search</Button>}
      />
    )
  }
  return (
    <Empty icon={<Inbox size={24} aria-hidden />} title="Nothing waits for you.">
      When a workflow reaches an approval, it stands here until somebody answers.
    </Empty>
  )
}
