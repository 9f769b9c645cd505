import { createReadStream } from 'node:fs'
import { Readable } from 'node:stream'
import {
  DeleteObjectCommand,
  GetObjectCommand,
  type GetObjectCommandInput,
  NoSuchKey,
  S3Client,
  type S3ClientConfig,
} from '@aws-sdk/client-s3'
import { Upload } from '@aws-sdk/lib-storage'
import { after, type Clock } from '#core/clock.ts'
import { BlobDamaged, BlobMissing, type BlobStore, BlobsUnavailable } from './blob-store.ts'
import { checkedRead } from './checked-read.ts'
import { type Keep, openSpool } from './spool.ts'

const partBytes = 8 * 1024 * 1024
// Every download holds a connection until its client has read it all, so the default of 50 would
// run out quickly.
const agent = { keepAlive: true, maxSockets: 500 }

/** Without `credentials`, the usual AWS environment variables and files apply. */
export async function openS3Blobs(options: {
  mediaUrl: string
  spoolFolder: string
  clock: Clock
  /** Whoever asks for a blob must be answered within this time. */
  answerWithinMs?: number | undefined
  credentials?: S3ClientConfig['credentials']
}): Promise<BlobStore> {
  const { bucket, prefix, ...address } = readMediaUrl(options.mediaUrl)
  const client = new S3Client({
    ...address,
    ...(options.credentials && { credentials: options.credentials }),
    // S3-compatible stores may refuse checksums they do not support.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    requestHandler: {
      connectionTimeout: 5_000,
      socketTimeout: 60_000,
      httpAgent: agent,
      httpsAgent: agent,
    },
  })
  // Leaves a third of the time for the database, and for the answer itself.
  const getObject = createGetter(client, ((options.answerWithinMs ?? 15_000) * 2) / 3)
  const keyOf = (name: string) => ({ Bucket: bucket, Key: `${prefix}${name}` })

  const keep: Keep = async (name, path, signal) => {
    const body = createReadStream(path)
    const upload = new Upload({
      client,
      // Each part is buffered in memory, because a retry cannot send a stream again.
      partSize: partBytes,
      queueSize: 2,
      params: { ...keyOf(name), Body: body },
    })
    const abort = () => void upload.abort()
    signal?.addEventListener('abort', abort, { once: true })
    try {
      await upload.done()
    } finally {
      signal?.removeEventListener('abort', abort)
      body.destroy()
    }
  }

  const spool = await openSpool({ folder: options.spoolFolder, clock: options.clock, keep })
  return {
    ...spool,
    async open(name, range, sizeBytes) {
      const Range = range && `bytes=${range.start}-${range.end}`
      try {
        const body = await getObject({ ...keyOf(name), Range })
        return checkedRead(body, name, { range, sizeBytes })
      } catch (error) {
        if (error instanceof NoSuchKey) throw new BlobMissing(name, error)
        // The range was within the blob as it was kept.
        if (error instanceof Error && error.name === 'InvalidRange')
          throw new BlobDamaged(name, 'it is cut short')
        throw new BlobsUnavailable(error)
      }
    },
    async delete(name) {
      await client.send(new DeleteObjectCommand(keyOf(name)))
    },
    /** Reads a name that no blob has: "no such key" comes from a store that works. */
    async check() {
      try {
        const body = await getObject(keyOf('check'))
        body.destroy()
      } catch (error) {
        if (!(error instanceof NoSuchKey)) throw new BlobsUnavailable(error)
      }
    },
  }
}

/** Gives up if the answer has not begun in time; the body itself may take as long as it takes. */
const createGetter =
  (client: S3Client, beginsWithinMs: number) =>
  async (asked: GetObjectCommandInput): Promise<Readable> => {
    const giveUp = new AbortController()
    const cancel = after(beginsWithinMs, () => giveUp.abort())
    try {
      const { Body } = await client.send(new GetObjectCommand(asked), {
        abortSignal: giveUp.signal,
      })
      if (Body instanceof Readable) return Body
      throw new Error('the S3 client returned no stream')
    } finally {
      cancel()
    }
  }

const knownParameters = new Set(['region', 'endpoint', 'pathStyle'])

/** `s3://bucket/prefix?region=…&endpoint=…&pathStyle=1` */
export function readMediaUrl(mediaUrl: string) {
  const url = new URL(mediaUrl)
  const unknown = [...url.searchParams.keys()].find((key) => !knownParameters.has(key))
  if (unknown !== undefined) throw new Error(`MEDIA_URL has an unknown parameter "${unknown}"`)
  const endpoint = url.searchParams.get('endpoint')
  // S3-compatible stores ignore the region, but the signature requires one.
  const region = url.searchParams.get('region') ?? (endpoint ? 'us-east-1' : null)
  const prefix = decodeURIComponent(url.pathname).replace(/^\/+|\/+$/g, '')
  return {
    bucket: url.hostname,
    prefix: prefix === '' ? '' : `${prefix}/`,
    forcePathStyle: url.searchParams.get('pathStyle') === '1',
    ...(endpoint && { endpoint }),
    ...(region && { region }),
  }
}
