import type { TaskDetail } from '#console/api/types.ts'
import { mediaPath } from '#console/lib/media-path.ts'
import { MediaViewer } from '#console/ui/media-viewer.tsx'

export const mediaOf = ({ imageContent, videoContent }: TaskDetail) =>
  imageContent ?? videoContent ?? []

type TaskMediaProps = { task: TaskDetail; index: number; onIndex(index: number): void }

/** What a task made, one picture or video at a time. */
export const TaskMedia = ({ task, index, onIndex }: TaskMediaProps) => (
  <MediaViewer
    items={mediaOf(task).map(({ url, mimeType, width, height }) => ({
      src: mediaPath(url),
      ...{ mimeType, width, height },
      alt: task.promptPreview,
    }))}
    index={index}
    onIndex={onIndex}
  />
)
