// What agents read about this service: its tools, its skills, and where to find them. Each document
// is generated once and stays the same while the server runs, so caches can rely on its tag. It
// never contains credentials and is the same for every caller.

import type { Answer } from '../../operation.ts'

export const toolFormats = ['openai', 'openai-responses', 'anthropic', 'gemini', 'mcp'] as const
export type ToolFormat = (typeof toolFormats)[number]

export const skillNames = ['service-workflows', 'service-generation'] as const
export type SkillName = (typeof skillNames)[number]

export type AgentDocument = {
  content: string | Uint8Array
  /** As sent in the header, with its quotes. */
  etag: string
  headers: Record<string, string>
}

export type AgentDocuments = {
  tools(format: ToolFormat): AgentDocument
  /** Tools are strict if the format supports that and their schema allows it. */
  strictTools(format: ToolFormat): AgentDocument
  skillCatalog(): AgentDocument
  skillManifest(name: SkillName): AgentDocument
  /** An archive with one directory per skill. */
  skillArchive(name: SkillName | 'all'): AgentDocument
  /** An archive with SKILL.md at its root, as installers expect it. */
  discoveryArchive(name: SkillName): AgentDocument
  discoveryIndex(name: SkillName | 'all'): AgentDocument
}

export function answerDocument(
  { content, etag, headers }: AgentDocument,
  ifNoneMatch: readonly string[],
): Answer {
  const shared = { ETag: etag, 'Cache-Control': 'public, max-age=300' }
  const known = ifNoneMatch.flatMap((line) => line.split(',')).map((tag) => tag.trim())
  // RFC 9110, 13.1.2: the comparison is weak, because caches may turn the tag into a weak one.
  const isKnown = known.some((tag) => tag === '*' || tag.replace(/^W\//, '') === etag)
  if (isKnown) return { status: 304, headers: shared, body: undefined }
  return { status: 200, headers: { ...shared, ...headers }, body: content }
}
