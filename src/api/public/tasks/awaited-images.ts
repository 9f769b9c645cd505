// Images for callers who cannot poll. Each image is a task like any other, so that nothing that
// was paid for is lost: a caller who waits too long learns which tasks to read later.
import { isRequestError } from '#core/error-table.ts'
import { Failure } from '#core/errors.ts'
import type { SubmitTasks, TaskSubmission } from '#core/generation.ts'
import type { MediaRecord } from '#store/tables/media.ts'
import type { ListedTask } from '#store/tables/tasks.ts'
import { apiPrefix } from '../context.ts'
import type { MediaUrls } from './task-record.ts'

/** Resolves to null if the wait ends early: the caller left, time is up, or the server stops. */
export type AwaitTasks = (
  taskIds: readonly string[],
  signal: AbortSignal,
) => Promise<ListedTask[] | null>

export type ImageOrder = Omit<TaskSubmission, 'kind'> & {
  count: number
  /** Bytes are read only if they are wanted. */
  wants: 'url' | 'bytes'
}

export type MadeImage = {
  taskId: string
  url: string
  /** In pixels, such as 1024x1024; absent if it is not known. */
  size?: string
  /** Null if they are not wanted, or are too large to be sent within an answer. */
  bytes: Uint8Array | null
}

export type MadeImages = { images: MadeImage[]; costMicros: number | null }

export type MakeImages = (
  order: ImageOrder,
  options: { signal: AbortSignal },
) => Promise<MadeImages>

type Deps = {
  submitTasks: SubmitTasks
  awaitTasks: AwaitTasks
  mediaUrls: MediaUrls
  readMedia(accountId: string, mediaId: string): Promise<Uint8Array | null>
}

/** All images of an answer together. Base64 adds a third, and writing it takes that twice. */
const maxAnswerBytes = 48 * 1024 * 1024

export function createImageMaker(deps: Deps): MakeImages {
  return async ({ count, wants, ...order }, { signal }) => {
    const submission = { ...order, kind: 'IMAGE' as const }
    const submitted = await deps.submitTasks(Array(count).fill(submission))
    const taskIds = submitted.map(({ id }) => id)
    const tasks = await deps.awaitTasks(taskIds, signal)
    if (tasks === null) throw stillUnderWay(taskIds)
    const made = tasks.flatMap(({ id, media }) =>
      (media ?? []).map((record) => ({ taskId: id, record })),
    )
    if (made.length === 0) throw failureOf(tasks)
    let left = wants === 'bytes' ? maxAnswerBytes : 0
    const images: MadeImage[] = []
    for (const { taskId, record } of made) {
      const fits = record.sizeBytes <= left
      if (fits) left -= record.sizeBytes
      images.push(await imageOf(deps, order.principal.accountId, { taskId, record, fits }))
    }
    return { images, costMicros: sumOf(tasks) }
  }
}

async function imageOf(
  { mediaUrls, readMedia }: Deps,
  accountId: string,
  { taskId, record, fits }: { taskId: string; record: MediaRecord; fits: boolean },
): Promise<MadeImage> {
  const bytes = fits ? await readMedia(accountId, record.id) : null
  const { width, height } = record
  const size = width && height ? { size: `${width}x${height}` } : {}
  return { taskId, url: mediaUrls([record])[0]?.url ?? '', ...size, bytes }
}

const sumOf = (tasks: readonly ListedTask[]): number | null =>
  tasks.reduce<number | null>(
    (sum, { cost_micros }) => (sum === null || cost_micros === null ? null : sum + cost_micros),
    0,
  )

function stillUnderWay(taskIds: readonly string[]): Failure {
  const what = taskIds.length === 1 ? 'The image is' : 'The images are'
  const paths = taskIds.map((id) => `${apiPrefix}/tasks/${id}`)
  return new Failure('PROVIDER_TIMEOUT', {
    message: `${what} not ready yet, but still being generated and billed. Do not ask again: read ${paths.join(', ')}.`,
    retryable: false,
    details: { taskIds },
    headers: { location: paths[0] ?? '' },
  })
}

/** A code that only records may have becomes PROVIDER_ERROR for a caller who waits. */
function failureOf(tasks: readonly ListedTask[]): Failure {
  const [first] = tasks
  const error = first?.error
  if (!first || !error) return new Failure('PROVIDER_ERROR', { retryable: false })
  const code = isRequestError(error.code) ? error.code : 'PROVIDER_ERROR'
  const message = `${error.message} (task ${first.id})`
  return new Failure(code, { message, retryable: error.retryable })
}
