import { createReadStream, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { isBlobName } from '#media/blob-store.ts'
import type { OpenChat } from '#store/journals/open-chats.ts'
import type { Cells } from '#store/table-rows.ts'
import { decodeRow } from './cells.ts'
import { eachBlob } from './each-blob.ts'
import { assertWhole, blobPath, readLines } from './files.ts'
import { BackupRefused, damaged, type Listed, type Manifest } from './manifest.ts'
import type { OnProgress, Source } from './source.ts'

/** Checks every byte of a backup first, so that no part of a damaged one is restored. */
export async function folderSource(
  folder: string,
  manifest: Manifest,
  onProgress: OnProgress,
): Promise<Source> {
  for (const { path, sha256 } of [...manifest.tables, manifest.chats, manifest.blobs]) {
    onProgress(`checking ${path}`)
    await assertWhole(folder, path, sha256)
  }
  for (const { name, sha256 } of manifest.keys) {
    await assertWhole(folder, join('keys', name), sha256)
  }
  const blobs = await allLines(folder, manifest.blobs)
  const unknown = blobs.find((name) => !isBlobName(name))
  if (unknown !== undefined)
    throw damaged(manifest.blobs.path, `names ${JSON.stringify(unknown)}, which is no media file`)
  await eachBlob(blobs, onProgress, (name) =>
    assertWhole(folder, blobPath(name), name.split('-', 1)[0] ?? ''),
  )
  const listed = new Map(manifest.tables.map((table) => [table.name, table]))
  return {
    migrations: manifest.migrations,
    tables: manifest.tables,
    identities: manifest.identities,
    chats: (await allLines(folder, manifest.chats)).map((line) => JSON.parse(line) as OpenChat),
    keys: new Map(
      manifest.keys.map(({ name }) => [name, readFileSync(join(folder, 'keys', name))]),
    ),
    blobs,
    missing: manifest.missing,
    async *rows({ name }) {
      const file = listed.get(name)
      if (!file) throw damaged(name, 'is not listed')
      for await (const lines of readLines(folder, file)) yield decoded(file, lines)
    },
    openBlob: async (name) => createReadStream(join(folder, blobPath(name))),
  }
}

function decoded({ path, columns }: Manifest['tables'][number], lines: readonly string[]): Cells[] {
  try {
    return lines.map((line) => decodeRow(line, columns.length))
  } catch (cause) {
    throw new BackupRefused(`${path} has a line that is no row of its table.`, { cause })
  }
}

async function allLines(folder: string, listed: Listed): Promise<string[]> {
  const lines: string[] = []
  for await (const page of readLines(folder, listed)) lines.push(...page)
  return lines
}
