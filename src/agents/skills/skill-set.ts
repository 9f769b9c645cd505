// The skills this server offers: texts written by people and references generated from the
// registry, packed so that the same server always returns the same bytes. Only the URL of the
// server is filled in; a skill never contains a credential.

import { createHash } from 'node:crypto'
import { type SkillName, skillNames } from '#api/public/skills/agent-documents.ts'
import type { Tool } from '../tools/tool-list.ts'
import { packArchive, type SkillFile } from './archive.ts'
import { errorsPage, nodeTypesPage, operationsPage } from './reference-pages.ts'
import { type Frontmatter, readFrontmatter, readSkillSource } from './skill-source.ts'

export type Skill = Frontmatter & {
  skillMd: string
  files: SkillFile[]
  /** Names of the tools its text mentions. */
  tools: string[]
  /** All files below one directory with the name of the skill. */
  archive: Uint8Array
  /** The same files with SKILL.md at the root. */
  rootArchive: Uint8Array
}

export type SkillSet = { skills: ReadonlyMap<SkillName, Skill>; suite: Uint8Array }

export function buildSkills(tools: readonly Tool[], baseUrl: string): SkillSet {
  const skills = new Map(skillNames.map((name) => [name, buildSkill(name, tools, baseUrl)]))
  const all = [...skills].flatMap(([name, { files }]) => inDirectory(name, files))
  return { skills, suite: packArchive(all) }
}

function buildSkill(name: SkillName, tools: readonly Tool[], baseUrl: string): Skill {
  const source = readSkillSource(name, baseUrl)
  const skillMd = source.find(({ path }) => path === 'SKILL.md')?.content ?? ''
  const used = tools.filter((tool) => new RegExp(`\\b${tool.name}\\b`).test(skillMd))
  const files = [
    ...source,
    { path: 'references/operations.md', content: operationsPage(used, baseUrl) },
    { path: 'references/errors.md', content: errorsPage() },
    ...(name === 'service-workflows'
      ? [{ path: 'references/node-types.md', content: nodeTypesPage() }]
      : []),
  ].sort((a, b) => (a.path < b.path ? -1 : 1))
  return {
    ...readFrontmatter(skillMd),
    skillMd,
    files,
    tools: used.map((tool) => tool.name),
    archive: packArchive(inDirectory(name, files)),
    rootArchive: packArchive(files),
  }
}

const inDirectory = (name: string, files: readonly SkillFile[]): SkillFile[] =>
  files.map(({ path, content }) => ({ path: `${name}/${path}`, content }))

export const sha256 = (content: string | Uint8Array): string =>
  createHash('sha256').update(content).digest('hex')
