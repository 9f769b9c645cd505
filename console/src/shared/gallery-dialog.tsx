import { useQuery } from '@tanstack/react-query'
import { consoleCall } from '#console/api/console-api.ts'
import { mediaPath } from '#console/lib/media-path.ts'
import { Dialog } from '#console/ui/dialog.tsx'
import { Empty } from '#console/ui/empty.tsx'
import { Loadable } from '#console/ui/loadable.tsx'
import { Skeleton } from '#console/ui/skeleton.tsx'

type GalleryDialogProps = {
  kind: 'image' | 'video'
  onClose(): void
  onChoose(url: string): void
}

/** The account's newest results, to be used again. */
export function GalleryDialog({ kind, onClose, onChoose }: GalleryDialogProps) {
  const taskKind = kind === 'image' ? 'IMAGE' : 'VIDEO'
  const tasks = useQuery({
    queryKey: ['gallery', taskKind],
    queryFn: ({ signal }) =>
      consoleCall('GET /tasks', {
        query: { kind: taskKind, status: 'COMPLETED', size: 60 },
        signal,
      }),
  })
  return (
    <Dialog
      open
      onClose={onClose}
      title={kind === 'image' ? 'Choose an image' : 'Choose a video'}
      size="large"
    >
      <Loadable
        query={tasks}
        skeleton={<Skeleton className="h-64" />}
        isEmpty={({ items }) => items.length === 0}
        empty={<Empty title={`No ${kind}s yet`}>What you generate appears here.</Empty>}
      >
        {({ items }) => (
          <ul className="grid grid-cols-[repeat(auto-fill,minmax(9rem,1fr))] gap-3">
            {items.flatMap((task) =>
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
                      <img
                        src={mediaPath(url)}
                        alt=""
                        loading="lazy"
                        className="aspect-square w-full object-cover"
                      />
                    ) : (
                      <video
                        src={`${mediaPath(url)}#t=0.1`}
                        preload="metadata"
                        muted
                        aria-hidden
                        tabIndex={-1}
                        className="aspect-square w-full object-cover"
                      />
                    )}
                  </button>
                </li>
              )),
            )}
          </ul>
        )}
      </Loadable>
    </Dialog>
  )
}
