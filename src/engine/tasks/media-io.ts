// Incoming media: pictures that callers refer to, and results of providers. The gateway checks
// every address that a caller can influence; only configured provider addresses are exempt.
import type { Readable } from 'node:stream'
import { Failure, type Issue, invalid } from '#core/errors.ts'
import type { InputImage } from '#core/generation.ts'
import { MediaTooLarge } from '#media/blob-store.ts'
import type { MediaStore, OpenMedia } from '#media/media-store.ts'
import { MediaTypeRefused, sniff } from '#media/sniff.ts'
import { DataUrlError, parseDataUrl } from '#outbound/data-url.ts'
import type { Gateway } from '#outbound/gateway.ts'
import { OutboundFailed, OutboundRefused } from '#outbound/outbound-errors.ts'
import { type MediaInput, type Output, ProviderError } from '#providers/provider.ts'
import type { MediaRecord } from '#store/engine-store.ts'
import { maxPictureBytes } from '../calls/picture-memory.ts'
import { ResultUnusable } from './store-result.ts'
import type { TaskDeps } from './task-work.ts'

const maxImportBytes = { image: maxPictureBytes, video: 100 * 1024 * 1024 }
const inputTimeoutMs = 30_000
const resultTimeoutMs = 300_000
const maxRedirects = 3

export type MediaIo = {
  /** For a call in progress: loads the picture from an address or a data URL. */
  fetchImage(url: string, signal: AbortSignal): Promise<MediaInput>
  /** The same for a PDF. */
  fetchDocument(url: string, signal: AbortSignal): Promise<MediaInput>
  /** For a task: checks an address now, or stores the bytes of a data URL or of our own media. */
  acceptImage(accountId: string, url: string, role?: 'mask'): Promise<InputImage>
  /** The bytes of this account's media; null if they are gone. */
  readOwn(accountId: string, mediaId: string): Promise<Uint8Array | null>
  loadImage: TaskDeps['loadImage']
  storeOutputs: TaskDeps['storeOutputs']
  /** For a run: stores a picture or video from an address or a data URL. */
  importMedia(
    accountId: string,
    url: string,
    options: { kind: 'image' | 'video'; signal: AbortSignal },
  ): Promise<MediaRecord>
}

type Deps = {
  media: MediaStore
  gateway: Gateway
  /** Reaches configured provider addresses wherever they are, even in private networks. */
  providerGateway: Gateway
  /** Origins of the configured provider addresses. */
  providerOrigins: ReadonlySet<string>
  maxResultBytes: number
}

export const createMediaIo = (deps: Deps): MediaIo => ({
  fetchImage: (url, signal) => fetchImage(deps, url, signal),
  fetchDocument: (url, signal) => fetchDocument(deps, url, signal),
  acceptImage: (accountId, url, role) =>
    acceptImage(deps, accountId, url).catch((error: unknown) => {
      throw role ? asBadMask(error) : error
    }),
  importMedia: (accountId, url, options) => importMedia(deps, accountId, url, options),
  async readOwn(accountId, mediaId) {
    const stored = await deps.media.openOwn(accountId, mediaId)
    return stored && readAll(await stored.open())
  },
  async loadImage(accountId, image, signal) {
    const failed = (message: string) =>
      new ProviderError('invalid', { outcome: 'not_sent', message })
    if ('url' in image) {
      return fetchImage(deps, image.url, signal).catch((error: Error) => {
        throw failed(error.message)
      })
    }
    const stored: OpenMedia | null = await deps.media.openOwn(accountId, image.mediaId)
    if (!stored) throw failed('The input image is no longer stored.')
    return { bytes: await readAll(await stored.open()), mimeType: stored.record.mimeType }
  },
  async storeOutputs({ accountId, kind }, outputs, signal) {
    const expectedKind = kind === 'IMAGE' ? 'image' : 'video'
    const options = { maxBytes: deps.maxResultBytes, expectedKind, signal } as const
    const records = []
    for (const output of outputs) {
      const source = 'bytes' in output ? chunk(output.bytes) : await download(deps, output, signal)
      records.push(await deps.media.save(accountId, source, options).catch(asUnusable))
    }
    if (records.length === 0) throw new ResultUnusable('the provider returned no media')
    return JSON.stringify(records)
  },
})

/** Our own signed addresses may not be reachable from here, so they are read from the store. */
async function openSigned(
  media: MediaStore,
  url: string,
  accountId?: string,
): Promise<OpenMedia | null> {
  const own = media.recognise(url)
  if (!own) return null
  // An account may use its own media even if the address has expired.
  const mine = accountId === undefined ? null : await media.openOwn(accountId, own.id)
  const stored = mine ?? (own.isGranted && (await media.openForServing(own.id)))
  if (!stored) throw badImage('its media address is unknown or has expired')
  return stored
}

async function openPicture(media: MediaStore, url: string, accountId?: string) {
  const stored = await openSigned(media, url, accountId)
  if (stored && stored.record.sizeBytes > maxPictureBytes)
    throw badImage('it is larger than 10 MiB')
  return stored
}

async function fetchImage(
  { media, gateway }: Deps,
  url: string,
  signal: AbortSignal,
): Promise<MediaInput> {
  try {
    if (isDataUrl(url)) return picture(parseDataUrl(url, maxPictureBytes).bytes)
    const own = await openPicture(media, url)
    if (own) return picture(await readAll(await own.open()))
    return picture(await fetchBytes(gateway, url, signal))
  } catch (error) {
    throw asBadImage(error)
  }
}

async function fetchBytes(gateway: Gateway, url: string, signal: AbortSignal) {
  const limits = { timeoutMs: inputTimeoutMs, maxBytes: maxPictureBytes, signal }
  const answer = await gateway.request(url, limits)
  if (answer.status === 200) return readAll(answer.body)
  answer.body.destroy()
  throw badImage(`its address answered ${answer.status}`)
}

async function fetchDocument(
  { gateway }: Deps,
  url: string,
  signal: AbortSignal,
): Promise<MediaInput> {
  try {
    const bytes = isDataUrl(url)
      ? parseDataUrl(url, maxPictureBytes).bytes
      : await fetchBytes(gateway, url, signal)
    // Readers accept other bytes in front of the header.
    const head = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.byteLength, 1024))
    if (head.includes('%PDF-')) return { bytes, mimeType: 'application/pdf' }
  } catch (error) {
    throw asBadImage(error)
  }
  throw badImage('it is no PDF')
}

async function acceptImage(
  { media, gateway }: Deps,
  accountId: string,
  url: string,
): Promise<InputImage> {
  const save = async (source: AsyncIterable<Uint8Array>) => {
    const options = { maxBytes: maxPictureBytes, expectedKind: 'image' } as const
    return { mediaId: (await media.save(accountId, source, options)).id }
  }
  try {
    if (isDataUrl(url)) return await save(chunk(parseDataUrl(url, maxPictureBytes).bytes))
    // Copied to this account, because the address may expire before the task starts.
    const own = await openPicture(media, url, accountId)
    if (own) return await save(await own.open())
    await gateway.check(url)
    return { url }
  } catch (error) {
    throw asBadImage(error)
  }
}

async function importMedia(
  { media, gateway }: Deps,
  accountId: string,
  url: string,
  { kind, signal }: { kind: 'image' | 'video'; signal: AbortSignal },
): Promise<MediaRecord> {
  const maxBytes = maxImportBytes[kind]
  const save = (source: AsyncIterable<Uint8Array>) =>
    media.save(accountId, source, { maxBytes, expectedKind: kind, signal })
  if (isDataUrl(url)) return save(chunk(parseDataUrl(url, maxPictureBytes).bytes))
  const own = await openSigned(media, url, accountId)
  if (own) return save(await own.open())
  const answer = await gateway.request(url, { timeoutMs: inputTimeoutMs, maxBytes, signal })
  if (answer.status === 200) return save(answer.body)
  answer.body.destroy()
  throw new OutboundFailed('protocol', {
    sent: true,
    message: `The address of the ${kind} answered ${answer.status}.`,
  })
}

/**
 * Follows the few redirects that file hosts use and checks every hop. A key is sent only to its own
 * origin and to hosts that the provider names as its own; once dropped, it is not sent again.
 */
async function download(
  deps: Deps,
  output: Extract<Output, { url: string }>,
  signal: AbortSignal,
): Promise<Readable> {
  let url = new URL(output.url)
  let headers = output.headers ?? {}
  for (let hop = 0; hop <= maxRedirects; hop++) {
    const isProvider = deps.providerOrigins.has(url.origin)
    const gateway = isProvider ? deps.providerGateway : deps.gateway
    if (!isProvider && output.mayHaveHeaders?.(url) !== true) headers = {}
    const answer = await gateway
      .request(url.href, {
        headers,
        timeoutMs: resultTimeoutMs,
        maxBytes: deps.maxResultBytes,
        signal,
      })
      .catch(asUnusable)
    if (answer.status === 200) return answer.body
    answer.body.destroy()
    const { location } = answer.headers
    if (answer.status < 300 || answer.status >= 400 || typeof location !== 'string') {
      const message = `the result's address answered ${answer.status}`
      throw passingStatus(answer.status) ? new Error(message) : new ResultUnusable(message)
    }
    const next = URL.parse(location, url)
    if (!next) throw new ResultUnusable('the result was redirected to no address')
    if (next.origin !== url.origin && output.mayHaveHeaders?.(next) !== true) headers = {}
    url = next
  }
  throw new ResultUnusable('the result was redirected too often')
}

const passingStatus = (status: number) =>
  status >= 500 || status === 408 || status === 425 || status === 429

/** Marks errors that a retry cannot fix. */
function asUnusable(error: unknown): never {
  const isFinal =
    error instanceof OutboundRefused ||
    error instanceof MediaTooLarge ||
    error instanceof MediaTypeRefused ||
    (error instanceof OutboundFailed && error.kind === 'too_large')
  throw isFinal ? new ResultUnusable(error.message, { cause: error }) : error
}

const isDataUrl = (url: string) => /^data:/i.test(url)

async function* chunk(bytes: Uint8Array) {
  yield bytes
}

async function readAll(body: Readable): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  for await (const part of body) chunks.push(part)
  return Buffer.concat(chunks)
}

function picture(bytes: Uint8Array): MediaInput {
  const mimeType = sniff(bytes)
  if (!mimeType?.startsWith('image/')) throw badImage('it is not a picture of a known type')
  return { bytes, mimeType }
}

const badImage = (why: string): Failure =>
  invalid(
    'INVALID_REQUEST',
    [{ path: '/messages', rule: 'image_url', message: why }],
    `An image_url cannot be used: ${why}.`,
  )

/** The same, for a picture that is named elsewhere in the request. */
function asBadMask(error: unknown): unknown {
  const issues = error instanceof Failure ? (error.details?.issues as Issue[] | undefined) : []
  const message = issues?.[0]?.message
  if (message === undefined) return error
  const issue = { path: '/mask', rule: 'image_url', message }
  return invalid('INVALID_REQUEST', [issue], `The mask cannot be used: ${message}.`)
}

/** Anything wrong with a picture that the caller named is the caller's error. */
function asBadImage(error: unknown): unknown {
  const isKnown =
    error instanceof OutboundRefused ||
    error instanceof OutboundFailed ||
    error instanceof DataUrlError ||
    error instanceof MediaTooLarge ||
    error instanceof MediaTypeRefused
  return isKnown ? badImage(error.message.replace(/\.$/, '')) : error
}
