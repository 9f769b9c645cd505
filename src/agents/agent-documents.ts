// The documents agents read about this service. Each is generated from the registry when first
// requested, cached, and never changes while the server runs.

import type { Operation } from '#api/operation.ts'
import { apiPrefix, type Context } from '#api/public/context.ts'
import type {
  AgentDocument,
  AgentDocuments,
  SkillName,
} from '#api/public/skills/agent-documents.ts'
import { once } from '#core/once.ts'
import { buildSkills, type Skill, sha256 } from './skills/skill-set.ts'
import { strictTool, toolFormatters } from './tools/tool-formats.ts'
import { toolList } from './tools/tool-list.ts'

export function createAgentDocuments(
  operations: readonly Operation<Context>[],
  baseUrl: string,
): AgentDocuments {
  const tools = toolList(operations)
  const set = once(() => buildSkills(tools, baseUrl))
  const api = baseUrl + apiPrefix
  const skill = (name: SkillName): Skill => {
    const found = set().skills.get(name)
    if (!found) throw new Error(`unknown skill ${name}`)
    return found
  }
  const archive = (name: SkillName | 'all') => (name === 'all' ? set().suite : skill(name).archive)
  return {
    tools: cached((format) => {
      const items = tools.map(toolFormatters[format])
      return envelope({ format, items, total: items.length })
    }),
    strictTools: cached((format) => {
      const items = tools.map((tool) => strictTool(format, tool))
      return envelope({ format, items, total: items.length })
    }),
    skillCatalog: once(() =>
      envelope({
        items: [...set().skills.values()].map(({ name, description, version, archive }) => ({
          name,
          description,
          version,
          manifestUrl: `${api}/skills/${name}`,
          downloadUrl: `${api}/skills/${name}.zip`,
          ...factsOf(archive),
        })),
        suite: { downloadUrl: `${api}/skills.zip`, ...factsOf(set().suite) },
        discoveryUrl: `${baseUrl}/.well-known/agent-skills/index.json`,
        install: `npx skills add ${baseUrl}`,
      }),
    ),
    skillManifest: cached((name) => {
      const { skillMd, files, tools, description, version, license, compatibility } = skill(name)
      return envelope({
        ...{ name, description, version, license, compatibility },
        downloadUrl: `${api}/skills/${name}.zip`,
        ...factsOf(skill(name).archive),
        files: files.map(({ path, content }) => ({
          path,
          sizeBytes: Buffer.byteLength(content),
          sha256: sha256(content),
        })),
        skillMd,
        tools,
        install: `npx skills add ${api}/skills/${name}`,
      })
    }),
    skillArchive: cached((name) => zip(name === 'all' ? 'skills' : name, archive(name))),
    discoveryArchive: cached((name) => zip(name, skill(name).rootArchive)),
    discoveryIndex: cached((name) => {
      const skills = name === 'all' ? [...set().skills.values()] : [skill(name)]
      return json({
        $schema: 'https://schemas.agentskills.io/discovery/0.2.0/schema.json',
        skills: skills.map(({ name, description, rootArchive }) => ({
          name,
          type: 'archive',
          description,
          url: `${baseUrl}/.well-known/agent-skills/${name}.zip`,
          digest: factsOf(rootArchive).digest,
        })),
      })
    }),
  }
}

const factsOf = (archive: Uint8Array) => ({
  digest: `sha256:${sha256(archive)}`,
  sizeBytes: archive.byteLength,
})

const envelope = (data: object): AgentDocument => json({ success: true, data })

const json = (value: object): AgentDocument =>
  tagged(JSON.stringify(value), { 'Content-Type': 'application/json; charset=utf-8' })

const zip = (name: string, content: Uint8Array): AgentDocument =>
  tagged(content, {
    'Content-Type': 'application/zip',
    'Content-Disposition': `attachment; filename="${name}.zip"`,
  })

const tagged = (
  content: string | Uint8Array,
  headers: AgentDocument['headers'],
): AgentDocument => ({ content, etag: `"${sha256(content).slice(0, 32)}"`, headers })

function cached<Key, T>(make: (key: Key) => T): (key: Key) => T {
  const made = new Map<Key, T>()
  return (key) => {
    const value = made.get(key) ?? make(key)
    made.set(key, value)
    return value
  }
}
