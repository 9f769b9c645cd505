// The files of a backup. They hold every secret of the installation, so only their owner may read
// them.
import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { mkdir, open } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { damaged, type Listed } from './manifest.ts'

const ownerOnly = { file: 0o600, folder: 0o700 }

export const blobPath = (name: string): string =>
  join('blobs', name.slice(0, 2), name.slice(2, 4), name)

export const makeFolder = (path: string) => mkdir(path, { recursive: true, mode: ownerOnly.folder })

/** Writes lines as they come, and resolves once they are on disk. */
export async function writeLines(
  folder: string,
  path: string,
  pages: AsyncIterable<readonly string[]> | Iterable<readonly string[]>,
): Promise<Listed> {
  const hash = createHash('sha256')
  let lines = 0
  async function* chunks() {
    for await (const page of pages) {
      if (page.length === 0) continue
      const text = Buffer.from(`${page.join('\n')}\n`)
      hash.update(text)
      lines += page.length
      yield text
    }
  }
  await writeWhole(folder, path, chunks())
  return { path, lines, sha256: hash.digest('hex') }
}

export async function writeWhole(
  folder: string,
  path: string,
  content: AsyncIterable<Uint8Array> | Uint8Array | string,
): Promise<void> {
  const target = join(folder, path)
  await makeFolder(dirname(target))
  await using handle = await open(target, 'wx', ownerOnly.file)
  await handle.writeFile(content)
  await handle.sync()
}

const pageChars = 2 * 1024 * 1024

/** The lines of a file, some megabytes at a time. */
export async function* readLines(folder: string, { path }: Listed): AsyncGenerator<string[]> {
  let page: string[] = []
  let chars = 0
  let rest = ''
  for await (const chunk of createReadStream(join(folder, path), { encoding: 'utf8' })) {
    const parts = (rest + chunk).split('\n')
    rest = parts.pop() ?? ''
    for (const line of parts) {
      page.push(line)
      chars += line.length
    }
    if (chars < pageChars) continue
    yield page
    page = []
    chars = 0
  }
  if (page.length > 0) yield page
}

/** Throws if the file is gone or is not what was written. */
export async function assertWhole(folder: string, path: string, sha256: string): Promise<void> {
  const hash = createHash('sha256')
  try {
    for await (const chunk of createReadStream(join(folder, path))) hash.update(chunk)
  } catch (cause) {
    throw damaged(path, 'cannot be read', cause)
  }
  if (hash.digest('hex') !== sha256) throw damaged(path, 'has the wrong checksum')
}
