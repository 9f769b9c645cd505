import { Readable } from 'node:stream'
import { Failure } from '#core/errors.ts'
import { abortSignalOf } from '#core/stop.ts'
import { insertAuditEntry } from '#store/tables/audit-entries.ts'
import { answer } from '../../operation.ts'
import { Media } from '../../schemas.ts'
import { entryBy } from '../audit/audit-entry.ts'
import { type ConsoleContext, defineConsole, requireRole, requireSession } from '../context.ts'

const access = 'editor'

export const createUpload = defineConsole({
  id: 'createUpload',
  route: 'POST /uploads',
  summary: 'Stores a picture or video and returns its address',
  description:
    'The body is the file itself. Its address can be an input of a run (pictures up to 10 MiB, videos up to 100 MiB), even after the address has expired; the file is kept as long as results are.',
  access,
  streams: ['image/*', 'video/*'],
  hasOwnTimeout: true,
  success: { 200: { description: 'The stored file.', data: Media } },
  errors: ['PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE', 'INVALID_REQUEST'],
  audit: { byItself: ['media.uploaded'] },
  repeatable: true,
  async handle(context, { body }) {
    const { accountId } = requireSession(context)
    if (!(body instanceof Readable))
      throw new Failure('INVALID_REQUEST', { message: 'Send the file as the body.' })
    const [type = ''] = context.headerValues('content-type')
    const [length = '0'] = context.headerValues('content-length')
    const media = await context.services.saveUpload(accountId, whileAllowed(context, body), {
      kind: /^\s*video/i.test(type) ? 'video' : 'image',
      announcedBytes: Number(length),
      signal: abortSignalOf(context.signal()),
    })
    const target = `${media.mimeType}, ${length} bytes`
    await insertAuditEntry(context.services.db, entryBy(context, 'media.uploaded', target))
    return answer(media)
  },
})

/** Fails at the end of the body, before it is kept, if its sender has lost the right meanwhile. */
async function* whileAllowed(context: ConsoleContext, body: Readable) {
  yield* body as AsyncIterable<Uint8Array>
  requireRole((await context.readmitted?.()) ?? context, access)
}
