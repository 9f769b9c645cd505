import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import postgres from 'postgres'

/** Everything the server has stored: the files of its folder, or every row of its database. */
export async function storedText(dataDir: string, databaseUrl: string): Promise<string[]> {
  const names = await readdir(dataDir, { recursive: true, withFileTypes: true })
  const files = names.filter((entry) => entry.isFile())
  const texts = await Promise.all(
    files.map((file) => readFile(join(file.parentPath, file.name), 'latin1')),
  )
  if (databaseUrl === '') return texts
  const client = postgres(databaseUrl, { max: 1 })
  const tables = await client`select tablename as name from pg_tables where schemaname = 'public'`
  for (const { name } of tables) {
    const rows = await client.unsafe(`select t::text as text from ${name} t`)
    texts.push(...rows.map(({ text }) => String(text)))
  }
  await client.end()
  return texts
}
