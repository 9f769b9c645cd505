import { Failure } from '#core/errors.ts'
import type { TaskRequest } from '#core/generation.ts'
import { type Static, Type } from '#core/schema.ts'
import { readApiKey } from '#store/tables/api-keys.ts'
import { callsOfTask } from '#store/tables/calls.ts'
import { findMedia } from '#store/tables/media.ts'
import { marksAmong } from '#store/tables/task-marks.ts'
import { countTasks, searchTasks } from '#store/tables/task-search.ts'
import { findTask, type TaskRow } from '#store/tables/tasks.ts'
import { answer } from '../../operation.ts'
import { Task, taskRecord, taskStatuses } from '../../public/tasks/task-record.ts'
import { Closed, Media, NamedRecord, Nullable, OneOf, Uuid } from '../../schemas.ts'
import { type ConsoleServices, defineConsole, requireSession } from '../context.ts'
import { cursorsOf, listOf, listQuery } from '../cursor.ts'
import { ModelName } from '../fields.ts'
import { spanQuery, withInstants } from '../instants.ts'
import { Call, toCall } from '../usage/call-record.ts'

const taskFilter = {
  kind: Type.Optional(OneOf(['IMAGE', 'VIDEO'])),
  status: Type.Optional(OneOf(taskStatuses)),
  model: Type.Optional(ModelName),
  source: Type.Optional(OneOf(['DIRECT', 'WORKFLOW'])),
  starred: Type.Optional(Type.Boolean({ description: 'true: only those with a star.' })),
  ...spanQuery,
  q: Type.Optional(
    Type.String({
      maxLength: 500,
      description:
        'Part of the prompt (its first 2,000 characters, ignoring case), or an identifier, or at least the first 8 characters of one.',
    }),
  ),
}

const starred = Type.Boolean({ description: 'Whether somebody of the account gave it a star.' })
const GalleryTask = NamedRecord('GalleryTask', { ...Task.properties, starred })

export const searchAccountTasks = defineConsole({
  id: 'searchTasks',
  route: 'GET /tasks',
  summary: 'Searches the generation tasks of the account, newest first',
  access: 'viewer',
  query: Type.Object({ ...taskFilter, ...listQuery }),
  success: { 200: { description: 'Tasks.', data: listOf(GalleryTask) } },
  async handle(context, { query: { cursor, size = 50, ...filters } }) {
    const { accountId } = requireSession(context)
    const { db, clock, secretBox, api } = context.services
    const cursors = cursorsOf<number>(secretBox, { list: 'tasks', accountId, filters })
    const position = { before: cursors.read(cursor), limit: size }
    const { rows, next } = await searchTasks(db, accountId, withInstants(filters), position)
    const nowMs = clock.nowMs()
    const marks = await marksAmong(
      db,
      accountId,
      rows.map((row) => row.id),
    )
    const items = rows.map((row) => ({
      ...taskRecord(row, nowMs, api.mediaUrls),
      starred: marks.get(row.id)?.starred ?? false,
    }))
    return answer({ items, next: cursors.write(next) })
  },
})

export const countAccountTasks = defineConsole({
  id: 'countTasks',
  route: 'GET /task-count',
  summary: 'Counts the generation tasks that a search would find',
  access: 'viewer',
  query: Type.Object(taskFilter),
  success: {
    200: {
      description: 'How many there are.',
      data: NamedRecord('TaskCount', {
        total: Type.Integer({ minimum: 0 }),
        isExact: Type.Boolean({
          description: 'False if only the newest 50,000 tasks were examined.',
        }),
      }),
    },
  },
  async handle(context, { query }) {
    const { accountId } = requireSession(context)
    return answer(await countTasks(context.services.db, accountId, withInstants(query)))
  },
})

const word = Type.Optional(Type.String())
const Parameters = Closed({
  imageAspectRatio: word,
  imageQuality: word,
  imageSampleSize: word,
  videoAspectRatio: word,
  videoSeconds: Type.Optional(Type.Integer({ minimum: 1 })),
  videoResolution: word,
  videoGenerateAudio: Type.Optional(Type.Boolean()),
  seed: Type.Optional(Type.Integer()),
  mask: Type.Optional(Type.Boolean({ description: 'True if a mask was given.' })),
})

/** As much as a page can display; a prompt may be as long as a whole request. */
const maxPromptLength = 256 * 1024

const TaskDetail = NamedRecord('TaskDetail', {
  ...GalleryTask.properties,
  prompt: Type.String({ description: 'The full prompt, up to 262,144 characters.' }),
  promptTruncated: Type.Boolean(),
  parameters: { ...Parameters, description: 'The fields of the request that created the task.' },
  inputImage: Nullable(
    Type.Union([Media, Closed({ url: Type.String({ description: 'As it was given.' }) })], {
      description: 'The input picture of the task; null if there was none or it has expired.',
    }),
  ),
  keyId: Nullable(Uuid('The API key that was used; null for a token.')),
  keyName: Nullable(Type.String()),
  attempts: Type.Array(Call, { description: 'Calls to providers, oldest first.' }),
})

export const getAccountTask = defineConsole({
  id: 'getTaskDetail',
  route: 'GET /tasks/{taskId}',
  summary: 'Shows a task with its whole prompt, its parameters and its attempts',
  access: 'viewer',
  params: Type.Object({ taskId: Uuid('Identifier of the task.') }),
  success: { 200: { description: 'The task.', data: TaskDetail } },
  errors: ['TASK_NOT_FOUND'],
  async handle(context, { params }) {
    const { accountId } = requireSession(context)
    const { db, clock, api } = context.services
    const row = await findTask(db, accountId, params.taskId)
    const marks = row && (await marksAmong(db, accountId, [row.id])).get(row.id)
    if (!row || !marks || marks.deleted) throw new Failure('TASK_NOT_FOUND')
    const request = row.request.value
    const key = row.key_id === null ? null : await readApiKey(db, accountId, row.key_id)
    const attempts = await callsOfTask(db, accountId, row.id)
    return answer({
      ...taskRecord(row, clock.nowMs(), api.mediaUrls),
      starred: marks.starred,
      prompt: request.prompt.slice(0, maxPromptLength),
      promptTruncated: request.prompt.length > maxPromptLength,
      parameters: parametersOf(row.kind, request),
      inputImage: await inputImageOf(context.services, accountId, request),
      keyId: row.key_id,
      keyName: key?.name ?? null,
      attempts: attempts.map(toCall),
    })
  },
})

function parametersOf(kind: TaskRow['kind'], request: TaskRequest): Static<typeof Parameters> {
  const { aspectRatio, quality, sampleSize, seconds, resolution, generateAudio } = request
  const all = {
    imageAspectRatio: kind === 'IMAGE' ? aspectRatio : undefined,
    imageQuality: quality,
    imageSampleSize: sampleSize,
    videoAspectRatio: kind === 'VIDEO' ? aspectRatio : undefined,
    videoSeconds: seconds,
    videoResolution: resolution,
    videoGenerateAudio: generateAudio,
    seed: request.options?.seed,
    mask: request.mask ? true : undefined,
  }
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined))
}

async function inputImageOf(
  { db, api }: ConsoleServices,
  accountId: string,
  { image }: TaskRequest,
) {
  if (!image || 'url' in image) return image ?? null
  const stored = await findMedia(db, accountId, image.mediaId)
  return stored && (api.mediaUrls([stored.record])[0] ?? null)
}
