import { createWriteStream } from 'node:fs'
import { mkdir, rename, rm, stat } from 'node:fs/promises'
import { basename, dirname, extname, join } from 'node:path'
import { Readable, Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { Media } from '#client/client.ts'
import { CliFailure, exits } from '../terminal/failure.ts'

const extensions: Record<string, string> = {
  'image/png': 'png',
  'image/jpeg': 'jpg',
  'image/webp': 'webp',
  'image/gif': 'gif',
  'image/avif': 'avif',
  'video/mp4': 'mp4',
  'video/webm': 'webm',
  'video/quicktime': 'mov',
}

/** By the ending of a file, in small letters and with its dot. */
export const mimeTypes: Record<string, string> = {
  '.jpeg': 'image/jpeg',
  ...Object.fromEntries(
    Object.entries(extensions).map(([mimeType, extension]) => [`.${extension}`, mimeType]),
  ),
}

/** A name made of what is surely harmless in a path. */
const fileName = (stem: string, mimeType: string): string =>
  `${stem.replace(/[^A-Za-z0-9_-]/g, '_').slice(0, 120)}.${extensions[mimeType] ?? 'bin'}`

type Item = { media: Media; stem: string }

/** Saves one after the other, whole or not at all; the paths in order. */
export async function download(
  items: readonly Item[],
  folder: string,
  signal: AbortSignal,
): Promise<string[]> {
  return saveAll(items, folder, ({ media, stem }) => fileName(stem, media.mimeType), signal)
}

/** `out` is a folder, or a file if it is called like one; several files are then numbered. */
export async function downloadTo(
  items: readonly Item[],
  out: string,
  signal: AbortSignal,
): Promise<string[]> {
  const ending = extname(out)
  const isFolder = await stat(out).then(
    (found) => found.isDirectory(),
    () => mimeTypes[ending.toLowerCase()] === undefined,
  )
  if (isFolder) return download(items, out, signal)
  const stem = basename(out, ending)
  return saveAll(
    items,
    dirname(out),
    (_, i) => `${stem}${i === 0 ? '' : `-${i + 1}`}${ending}`,
    signal,
  )
}

async function saveAll(
  items: readonly Item[],
  folder: string,
  nameOf: (item: Item, index: number) => string,
  signal: AbortSignal,
): Promise<string[]> {
  const paths: string[] = []
  await mkdir(folder, { recursive: true }).catch((cause) => {
    throw new CliFailure(`The folder ${folder} cannot be made.`, {
      exitCode: exits.failed,
      code: 'WRITE_FAILED',
      cause,
    })
  })
  for (const [i, item] of items.entries()) {
    const path = join(folder, nameOf(item, i))
    await save(item.media, path, signal)
    paths.push(path)
  }
  return paths
}

async function save(media: Media, path: string, signal: AbortSignal) {
  const draft = `${path}.part`
  try {
    // The address is signed: no key goes with it.
    const answer = await fetch(media.url, { signal })
    if (!answer.ok || !answer.body) throw new Error(`the server answered ${answer.status}`)
    await pipeline(
      Readable.fromWeb(answer.body),
      exactly(media.sizeBytes),
      createWriteStream(draft),
      { signal },
    )
    await rename(draft, path)
  } catch (cause) {
    await rm(draft, { force: true })
    if (signal.aborted) throw signal.reason
    throw new CliFailure(`${path} could not be saved: ${(cause as Error).message}.`, {
      exitCode: exits.failed,
      code: 'DOWNLOAD_FAILED',
      hint: 'The result is kept at the server: "atelier tasks wait" or "atelier runs wait" saves it.',
      cause,
    })
  }
}

/** Neither more than was announced, nor a file cut short. */
function exactly(sizeBytes: number): Transform {
  let received = 0
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      received += chunk.length
      done(received > sizeBytes ? new Error('more came than was announced') : null, chunk)
    },
    flush(done) {
      done(received < sizeBytes ? new Error('the connection ended early') : null)
    },
  })
}
