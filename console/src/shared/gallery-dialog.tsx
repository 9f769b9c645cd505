import { keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { consoleCall } from '#console/api/console-api.ts'
import type { Task } from '#console/api/types.ts'
import { formatCount } from '#console/lib/format-count.ts'
import { mediaPath } from '#console/lib/media-path.ts'
import { Button } from '#console/ui/button.tsx'
import { Dialog } from '#console/ui/dialog.tsx'
import { Empty } from '#console/ui/empty.tsx'
import { Loadable } from '#console/ui/loadable.tsx'
import { Poster } from '#console/ui/poster.tsx'
import { Skeleton } from '#console/ui/skeleton.tsx'
import { TextFilter } from '#console/ui/text-filter.tsx'
import { Thumbnail } from '#console/ui/thumbnail.tsx'

type GalleryDialogProps = {
  kind: 'image' | 'video'
  onClose(): void
  onChoose(url: string): void
}

/** The account's results, newest first, to be used again. */
export function GalleryDialog({ kind, onClose, onChoose }: GalleryDialogProps) {
  const [q, setQ] = useState('')
  const { tasks, count } = useGallery(kind, q)
  return (
    <Dialog
      open
      onClose={onClose}
      title={kind === 'image' ? 'Choose an image' : 'Choose a video'}
      size="large"
    >
      <search className="pb-3">
        <TextFilter label="Words of the prompt" className="md:w-72" value={q} onChange={setQ} />
      </search>
      <Loadable
        query={tasks}
        skeleton={<Skeleton className="h-64" />}
        isEmpty={({ pages }) =>
          pages.every(({ items }) => items.length === 0) && !tasks.hasNextPage
        }
        empty={
          q === '' ? (
            <Empty title={`No ${kind}s yet`}>What you generate appears here.</Empty>
          ) : (
            <Empty
              title={`Nothing matches “${q}”`}
              action={<Button onClick={() => setQ('')}>Clear search</Button>}
            />
          )
        }
      >
        {({ pages }) => {
          const items = pages.flatMap((page) => page.items)
          return (
            <>
              <Thumbnails kind={kind} tasks={items} onChoose={onChoose} />
              <div className="flex flex-wrap items-center justify-between gap-2 pt-3">
                <p className="text-soft text-sm" role="status">
                  {count === null ? `${items.length} tasks` : `${items.length} of ${count} tasks`}
                </p>
                {tasks.hasNextPage && (
                  <Button
                    size="small"
                    busy={tasks.isFetchingNextPage}
                    onClick={() => void tasks.fetchNextPage()}
                  >
                    More
                  </Button>
                )}
              </div>
            </>
          )
        }}
      </Loadable>
    </Dialog>
  )
}

function useGallery(kind: 'image' | 'video', q: string) {
  const filter = {
    kind: kind === 'image' ? ('IMAGE' as const) : ('VIDEO' as const),
    status: 'COMPLETED' as const,
    ...(q ? { q } : {}),
  }
  const tasks = useInfiniteQuery({
    queryKey: ['gallery', filter],
    queryFn: ({ signal, pageParam }) =>
      consoleCall('GET /tasks', {
        query: { ...filter, size: 48, ...(pageParam ? { cursor: pageParam } : {}) },
        signal,
      }),
    initialPageParam: '',
    getNextPageParam: ({ next }) => next,
    placeholderData: keepPreviousData,
  })
  const { data } = useQuery({
    queryKey: ['gallery', 'count', filter],
    queryFn: ({ signal }) => consoleCall('GET /task-count', { query: filter, signal }),
  })
  const count = data ? `${formatCount(data.total)}${data.isExact ? '' : '+'}` : null
  return { tasks, count }
}

type ThumbnailsProps = Pick<GalleryDialogProps, 'kind' | 'onChoose'> & { tasks: readonly Task[] }

function Thumbnails({ kind, tasks, onChoose }: ThumbnailsProps) {
  return (
    <ul className="grid grid-cols-[repeat(auto-fill,minmax(9rem,1fr))] gap-3">
      {tasks.flatMap((task) =>
        (task.imageContent ?? task.videoContent ?? []).map(({ url }) => (
          <li key={url}>
            <button
              type="button"
              aria-label={task.promptPreview || 'No prompt'}
              title={task.promptPreview}
              onClick={() => onChoose(url)}
              className="block w-full overflow-hidden rounded-md border border-line hover:border-control"
            >
              {kind === 'image' ? (
                <Thumbnail src={mediaPath(url)} className="aspect-square w-full object-cover" />
              ) : (
                <Poster src={mediaPath(url)} className="aspect-square w-full object-cover" />
              )}
            </button>
          </li>
        )),
      )}
    </ul>
  )
}
