import { consolePrefix } from '#api/console/context.ts'
import type { Operation } from '#api/operation.ts'
import { apiPrefix } from '#api/public/context.ts'

export type Described = Omit<Operation<never>, 'handle'>

/** Applies unless an operation sets its own limit. */
export const defaultBodyLimitBytes = 64 * 1024

/** A set of operations under one prefix that share one way to authenticate. */
export type DescribedSurface = {
  title: string
  prefix: string
  description: string
  security: { name: string; scheme: object }
  isOpen(operation: Described): boolean
  /** Operations for which another way to authenticate works as well. */
  also?: { name: string; scheme: object; accepts(operation: Described): boolean }
}

export const publicSurface: DescribedSurface = {
  title: 'Atelier Agent API',
  prefix: apiPrefix,
  description:
    'Text, creative generation, asynchronous tasks and workflow runs, for people and agents.',
  security: {
    name: 'bearer',
    scheme: { type: 'http', scheme: 'bearer', description: 'An API key (sk_…) or a JWT.' },
  },
  isOpen: (operation) => operation.scope === 'public',
}

export const sessionSurface: DescribedSurface = {
  title: 'Atelier console API',
  prefix: consolePrefix,
  description: 'What the console uses beside the Agent API: for signed-in people, by cookie.',
  security: {
    name: 'session',
    scheme: {
      type: 'apiKey',
      in: 'cookie',
      name: 'session',
      description: 'Set by signing in; called __Host-session where the server is reached by https.',
    },
  },
  isOpen: (operation) => !operation.errors.includes('AUTH_REQUIRED'),
  also: {
    name: 'bearer',
    scheme: {
      type: 'http',
      scheme: 'bearer',
      description:
        'An API key (sk_…) with the scope developer; for getServer, models:read is enough.',
    },
    accepts: (operation) => 'takesKeys' in operation && operation.takesKeys === true,
  },
}

const tagNames: Record<string, string> = {
  'workflow-runs': 'Runs',
  chat: 'Generation',
  images: 'Generation',
  videos: 'Generation',
  'api-keys': 'API keys',
}

/** What the groups of the public API contain. */
export const tagDescriptions: Record<string, string | undefined> = {
  Models: 'The available models and their prices.',
  Generation: 'Texts at once; images and videos as tasks.',
  Tasks: 'The state and the results of images and videos.',
  Workflows: 'Stored graphs: validate, save, estimate, run.',
  Runs: 'Executions of workflows: durable, idempotent, cancellable.',
  Templates: 'Ready-made workflows to start from.',
  Tools: 'The operations as tools for function calling.',
  Skills: 'Instructions that agents install.',
  Webhooks: 'What this server sends to you.',
}

/** The group of operations that a path belongs to. */
export function tagOf(path: string): string {
  const first = path.split(/[/.]/)[1] ?? ''
  const words = first.replaceAll('-', ' ')
  return tagNames[first] ?? words.charAt(0).toUpperCase() + words.slice(1)
}
