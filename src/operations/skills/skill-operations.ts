import { Type } from 'typebox'
import { Failure } from '#core/errors.ts'
import { defineOperation } from '#operations/context.ts'
import { Closed } from '#operations/schemas.ts'

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

const notServed = () => {
  throw new Failure('SERVICE_UNAVAILABLE', {
    message: 'This version of Atelier does not serve agent skills yet.',
    retryable: false,
  })
}

const common = { scope: 'public', errors: [], repeatable: true, handle: notServed } as const
const zip = { description: 'A ZIP archive', contentType: 'application/zip' }

export const skillOperations = [
  defineOperation({
    ...common,
    id: 'listAgentSkills',
    route: 'GET /skills',
    summary: 'List the installable agent skills',
    success: { 200: { description: 'The skill catalogue', data: Catalog } },
  }),
  defineOperation({
    ...common,
    id: 'downloadAgentSkillSuite',
    route: 'GET /skills.zip',
    summary: 'Download all skills as one archive',
    success: { 200: zip },
  }),
  defineOperation({
    ...common,
    id: 'getWorkflowSkill',
    route: 'GET /skills/service-workflows',
    summary: 'Read the manifest of the workflow skill',
    success: { 200: { description: 'The skill manifest', data: Manifest } },
  }),
  defineOperation({
    ...common,
    id: 'downloadWorkflowSkill',
    route: 'GET /skills/service-workflows.zip',
    summary: 'Download the workflow skill',
    success: { 200: zip },
  }),
]
