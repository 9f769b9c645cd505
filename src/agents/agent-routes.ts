import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { apiPrefix } from '#api/public/context.ts'
import {
  type AgentDocument,
  type AgentDocuments,
  answerDocument,
  type SkillName,
  skillNames,
} from '#api/public/skills/agent-documents.ts'
import type { KnownPath } from '#http/path-table.ts'

const discovery = '/.well-known/agent-skills'

/**
 * An installer appends the discovery path to the URL a person gave it and installs every skill
 * the index there lists. Each of these URLs therefore has an index of its own.
 */
const scopes: [path: string, name: SkillName | 'all'][] = [
  ['', 'all'],
  [`${apiPrefix}/skills`, 'all'],
  [`${apiPrefix}/skills.zip`, 'all'],
  ...skillNames.flatMap((name): [string, SkillName][] => [
    [`${apiPrefix}/skills/${name}`, name],
    [`${apiPrefix}/skills/${name}.zip`, name],
  ]),
]

const indexes = scopes.map(([path, name]) => ({ path: `${path}${discovery}/index.json`, name }))
const archives = skillNames.map((name) => ({ path: `${discovery}/${name}.zip`, name }))

/** Paths where installers look for skills, listed here for the 404 and CORS rules. */
export const agentPaths: KnownPath[] = [...indexes, ...archives].map(({ path }) => ({
  path,
  methods: ['GET', 'HEAD'],
  isPublic: true,
}))

export function mountAgentRoutes(app: FastifyInstance, documents: () => Promise<AgentDocuments>) {
  const mount = (path: string, read: (all: AgentDocuments) => AgentDocument) =>
    app.get(path, async (request, reply) => send(request, reply, read(await documents())))
  for (const { path, name } of indexes) mount(path, (all) => all.discoveryIndex(name))
  for (const { path, name } of archives) mount(path, (all) => all.discoveryArchive(name))
}

function send(request: FastifyRequest, reply: FastifyReply, document: AgentDocument) {
  const tags = request.headers['if-none-match']
  const { status, headers = {}, body } = answerDocument(document, tags === undefined ? [] : [tags])
  return reply.code(status).headers(headers).send(body)
}
