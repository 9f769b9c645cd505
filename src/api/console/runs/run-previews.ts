// The beginnings of what every node of a run gave: enough to show results on the nodes of a graph
// without reading whole values, and a digest by which two runs can be compared.
import { hash } from 'node:crypto'
import { Failure } from '#core/errors.ts'
import { type Static, Type } from '#core/schema.ts'
import type { Media } from '#graph/node/node-type.ts'
import { isMedia, measure } from '#graph/node/values.ts'
import { findRun } from '#store/tables/runs.ts'
import { etagOfText, ifKnown } from '../../etag.ts'
import { answer } from '../../operation.ts'
import { stateOf } from '../../public/runs/run-state.ts'
import { Closed, NamedRecord, OneOf, Uuid } from '../../schemas.ts'
import { asApiCaller, defineConsole } from '../context.ts'

/** What three lines of a card hold. */
const longestText = 240
/** As many pictures as a card has room for. */
const mostMedia = 4
/** A larger value has neither text nor digest: writing all of it would hold up other callers. */
const mostBytes = 1024 * 1024

const Preview = NamedRecord('ResultPreview', {
  port: Type.String(),
  kind: OneOf(['empty', 'text', 'number', 'boolean', 'media', 'list', 'json']),
  text: Type.String({ description: 'The first 240 characters, as text or JSON.' }),
  media: Type.Array(
    Closed({
      url: Type.String(),
      mimeType: Type.String(),
      durationSeconds: Type.Optional(Type.Number({ description: 'Of a video, if it is known.' })),
    }),
    { description: 'The first four, with fresh addresses.' },
  ),
  count: Type.Integer({ minimum: 0, description: 'Members of a list or an object, else 0.' }),
  bytes: Type.Integer({ minimum: 0, description: 'Length of the value as JSON, about.' }),
  digest: Type.String({ description: 'Equal for equal values; empty if the value is too large.' }),
})
type Preview = Static<typeof Preview>

export const getRunPreviews = defineConsole({
  id: 'getRunPreviews',
  route: 'GET /runs/{runId}/previews',
  summary: 'Reads the beginnings of the results of all nodes of a run',
  access: 'viewer',
  params: Type.Object({ runId: Uuid('Identifier of the run.') }),
  success: {
    200: {
      description: 'The nodes of the graph that have a result, in the order they got it.',
      data: Closed({
        items: Type.Array(Closed({ nodeId: Type.String(), outputs: Type.Array(Preview) })),
      }),
    },
  },
  errors: ['RUN_NOT_FOUND'],
  async handle(developer, { params: { runId } }) {
    const context = asApiCaller(developer)
    const { db, runs } = context.services
    const row = await findRun(db, context.principal.accountId, runId)
    if (!row) throw new Failure('RUN_NOT_FOUND')
    const etag = etagOfText(`previews ${(await stateOf(context, row)).etag}`)
    const unchanged = ifKnown(context, etag)
    if (unchanged) return unchanged
    const found = new Map<string, Preview[]>()
    if (row.started_at !== null) {
      const steps = await runs.stepsOf(row.id)
      await runs.reconstruct(row, steps, '', (path, outputs) => {
        if (!/[/[]/.test(path)) found.set(path, previewsOf(outputs))
      })
    }
    const items = [...found].map(([nodeId, outputs]) => ({ nodeId, outputs }))
    const fresh = (await runs.refreshMedia(row.account_id, items)) as typeof items
    return answer({ items: fresh }, { headers: { ETag: etag } })
  },
})

const previewsOf = (outputs: object): Preview[] =>
  Object.entries(outputs).map(([port, value]) => ({ port, ...previewOf(value) }))

/** The parts of a value that a card shows. */
export function previewOf(value: unknown): Omit<Preview, 'port'> {
  const media = (Array.isArray(value) ? value : [value]).filter(isShown).slice(0, mostMedia)
  const bytes = measure(value, mostBytes)
  const written = bytes > mostBytes ? '' : writtenOf(value)
  return {
    ...kindOf(value, media.length > 0),
    text: textOf(value, written).slice(0, longestText),
    media: media.map(({ url, mimeType, durationSeconds }) => ({
      ...{ url, mimeType },
      ...(durationSeconds !== undefined && { durationSeconds }),
    })),
    bytes,
    digest: written === '' ? '' : hash('sha1', written, 'base64url'),
  }
}

/** A user's own JSON may look like media, too. */
const isShown = (value: unknown): value is Media =>
  isMedia(value) && /^(image|video)\//.test(value.mimeType)

function kindOf(value: unknown, hasMedia: boolean): Pick<Preview, 'kind' | 'count'> {
  if (value === null || value === undefined || value === '') return { kind: 'empty', count: 0 }
  if (Array.isArray(value)) return { kind: 'list', count: value.length }
  if (hasMedia) return { kind: 'media', count: 0 }
  if (typeof value === 'string') return { kind: 'text', count: 0 }
  if (typeof value === 'number') return { kind: 'number', count: 0 }
  if (typeof value === 'boolean') return { kind: 'boolean', count: 0 }
  return { kind: 'json', count: Object.keys(value).length }
}

/** A list of texts shows its first two; everything else begins as its JSON does. */
function textOf(value: unknown, written: string): string {
  if (typeof value === 'string') return value
  if (isShown(value) || value === null || value === undefined) return ''
  if (!Array.isArray(value) || !value.every((one) => typeof one === 'string')) return written
  const lines = value.slice(0, 2).map((one) => one.slice(0, longestText / 2).replace(/\s+/g, ' '))
  return lines.join('\n')
}

/** As JSON, without the signatures of addresses, which differ each time a value is read. */
const writtenOf = (value: unknown): string =>
  JSON.stringify(value ?? null, (key, member) =>
    key === 'url' && typeof member === 'string' ? member.replace(/\?.*$/s, '') : member,
  )
