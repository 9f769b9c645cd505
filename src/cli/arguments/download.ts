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

/** MIME types by file extension, in lower case and with the dot. */
export const mimeTypes: Record<string, string> = {
  '.jpeg': 'image/jpeg',
  ...Object.fromEntries(
    Object.entries(extensions).map(([mimeType, extension]) => [`.${extension}`, mimeType]),
  ),
}

/** Replaces every character that could be unsafe in a path. */
const fileName = (stem: string, mimeType: string): string =>
  `${stem.replace(/[^A-Za-z0-9_-]/g, '_').slice(0, 120)}.${extensions[mimeType] ?? 'bin'}`

type Item = { media: Media; stem: string }

/** Saves the items one by one and returns their paths. A file is saved completely or not at all. */
export async function download(
  items: readonly Item[],
  folder: string,
  signal: AbortSignal,
): Promise<string[]> {
  return saveAll(items, folder, ({ media, stem }) => fileName(stem, media.mimeType), signal)
}

/** `out` is a folder, or a file if it has a media extension. Further files are then numbered. */
export async function downloadTo(
  items: readonly Item[],
  out: string,
  signal: AbortSignal,
): Promise<string[]> {
  const extension = extname(out)
  const isFolder = await stat(out).then(
    (found) => found.isDirectory(),
    () => mimeTypes[extension.toLowerCase()] === undefined,
  )
  if (isFolder) return download(items, out, signal)
  const stem = basename(out, extension)
  return saveAll(
    items,
    dirname(out),
    (_, i) => `${stem}${i === 0 ? '' : `-${i + 1}`}${extension}`,
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
    throw new CliFailure(`The folder ${folder} cannot be created.`, {
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
    // The URL is signed, so the API key is not sent.
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
      hint: 'The server keeps the result: "atelier tasks wait" or "atelier runs wait" saves it.',
      cause,
    })
  }
}

/** Fails if more or fewer bytes arrive than announced. */
function exactly(sizeBytes: number): Transform {
  let received = 0
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      received += chunk.length
      done(received > sizeBytes ? new Error('it is larger than announced') : null, chunk)
    },
    flush(done) {
      done(received < sizeBytes ? new Error('the connection ended early') : null)
    },
  })
}
