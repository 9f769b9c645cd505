import { Type } from '#core/schema.ts'
import { Closed } from '../../schemas.ts'
import { defineOperation } from '../context.ts'
import { answerDocument } from './agent-documents.ts'

const Digest = Type.String({ pattern: '^sha256:[0-9a-f]{64}$' })
const SizeBytes = Type.Integer({ minimum: 0 })
const Url = Type.String({ format: 'uri' })

const Catalog = Closed({
  items: Type.Array(
    Closed({
      name: Type.String(),
      description: Type.String(),
      version: Type.String(),
      manifestUrl: Url,
      downloadUrl: Url,
      digest: Digest,
      sizeBytes: SizeBytes,
    }),
  ),
  suite: Closed({ downloadUrl: Url, digest: Digest, sizeBytes: SizeBytes }),
  discoveryUrl: Url,
  install: Type.String(),
})

const Manifest = Closed({
  name: Type.String(),
  description: Type.String(),
  version: Type.String(),
  license: Type.String(),
  compatibility: Type.String(),
  downloadUrl: Url,
  digest: Digest,
  sizeBytes: SizeBytes,
  files: Type.Array(Closed({ path: Type.String(), sizeBytes: SizeBytes, sha256: Type.String() })),
  skillMd: Type.String(),
  tools: Type.Array(Type.String()),
  install: Type.String(),
})

const tagged = {
  ETag: { schema: Type.String(), description: 'Changes with the content; for If-None-Match.' },
}
const zip = {
  200: {
    description: 'A ZIP archive',
    contentType: 'application/zip',
    headers: {
      ...tagged,
      'Content-Disposition': { schema: Type.String(), description: 'The name of the file.' },
    },
  },
}
const manifest = {
  200: { description: 'The skill manifest', data: Manifest, headers: tagged },
}

export const skillOperations = [
  defineOperation({
    scope: 'public',
    id: 'listAgentSkills',
    route: 'GET /skills',
    summary: 'List the installable agent skills',
    success: { 200: { description: 'The skill catalogue', data: Catalog, headers: tagged } },
    handle: async ({ services, headerValues }) =>
      answerDocument((await services.agents()).skillCatalog(), headerValues('if-none-match')),
  }),
  defineOperation({
    scope: 'public',
    id: 'downloadAgentSkillSuite',
    route: 'GET /skills.zip',
    summary: 'Download all skills as one archive',
    success: zip,
    handle: async ({ services, headerValues }) =>
      answerDocument((await services.agents()).skillArchive('all'), headerValues('if-none-match')),
  }),
  ...(
    [
      ['Workflow', 'service-workflows'],
      ['Generation', 'service-generation'],
    ] as const
  ).flatMap(([word, name]) => [
    defineOperation({
      scope: 'public',
      id: `get${word}Skill`,
      route: `GET /skills/${name}`,
      summary: `Read the manifest of the ${word.toLowerCase()} skill`,
      success: manifest,
      handle: async ({ services, headerValues }) =>
        answerDocument(
          (await services.agents()).skillManifest(name),
          headerValues('if-none-match'),
        ),
    }),
    defineOperation({
      scope: 'public',
      id: `download${word}Skill`,
      route: `GET /skills/${name}.zip`,
      summary: `Download the ${word.toLowerCase()} skill`,
      success: zip,
      handle: async ({ services, headerValues }) =>
        answerDocument((await services.agents()).skillArchive(name), headerValues('if-none-match')),
    }),
  ]),
]
