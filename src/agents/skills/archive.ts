import { type Zippable, zipSync } from 'fflate'

export type SkillFile = { path: string; content: string }

const unix = 3
const regularFile = 0o100000

/** The same files give the same bytes, in whatever order they are passed. */
export function packArchive(files: readonly SkillFile[]): Uint8Array {
  // A ZIP stores local time without a zone. A date built from local fields gives the same bytes
  // in every time zone.
  const mtime = new Date(1980, 0, 1, 12)
  const entries: Zippable = {}
  const byPath = [...files].sort((a, b) => (a.path < b.path ? -1 : 1))
  for (const { path, content } of byPath) {
    const mode = regularFile | (isScript(path) ? 0o755 : 0o644)
    const attributes = { os: unix, attrs: (mode << 16) >>> 0, mtime, level: 9 } as const
    entries[path] = [new TextEncoder().encode(content), attributes]
  }
  return zipSync(entries)
}

const isScript = (path: string) => path.split('/').includes('scripts')
