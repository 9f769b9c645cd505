import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { SkillName } from '#api/public/skills/agent-documents.ts'
import type { SkillFile } from './archive.ts'

const folder = fileURLToPath(new URL('.', import.meta.url))

/** The files of a skill that people wrote, with the URL of this server filled in. */
export function readSkillSource(name: SkillName, baseUrl: string): SkillFile[] {
  const root = join(folder, name)
  return readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => {
      const path = join(entry.parentPath, entry.name)
      const text = readFileSync(path, 'utf8').replaceAll('{base_url}', baseUrl)
      return { path: path.slice(root.length + 1).replaceAll('\\', '/'), content: text }
    })
}

export type Frontmatter = {
  name: string
  description: string
  license: string
  compatibility: string
  version: string
}

/**
 * Reads only our own files, which have one `key: "value"` per line. The value is JSON, which is
 * also valid YAML, so no YAML parser is needed.
 */
export function readFrontmatter(skillMd: string): Frontmatter {
  const [, head = ''] = /^---\n([\s\S]*?)\n---\n/.exec(skillMd) ?? []
  const value = (key: string): string => {
    const line = new RegExp(`^ *${key}: (".*")$`, 'm').exec(head)
    if (!line) throw new Error(`the frontmatter of a skill lacks ${key}`)
    return JSON.parse(line[1] ?? '')
  }
  return {
    name: value('name'),
    description: value('description'),
    license: value('license'),
    compatibility: value('compatibility'),
    version: value('version'),
  }
}
