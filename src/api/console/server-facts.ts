import { type Static, Type } from '#core/schema.ts'
import { Closed, Money, NamedRecord, Nullable, OneOf } from '../schemas.ts'

const Count = Type.Integer({ minimum: 0 })
const perMinute = Nullable(Type.Integer({ minimum: 1, description: 'Null means no limit.' }))

const watchedFile = {
  readAt: Type.String({
    format: 'date-time',
    description: 'When what is in use was read from it.',
  }),
  isRefused: Type.Boolean({
    description: 'True if the file has changed since and has a mistake; the log names it.',
  }),
}

/** Facts about the server for its users; nothing here is secret. */
export const ServerFacts = NamedRecord('ServerFacts', {
  version: Type.String(),
  baseUrl: Type.String({ description: 'The address that clients use.' }),
  database: OneOf(['sqlite', 'postgres']),
  providers: Type.Array(
    Closed({
      id: Type.String(),
      configured: Type.Boolean({
        description: 'True if it has everything it needs to be called.',
      }),
      takesKeys: Type.Boolean({
        description: 'True if an account can store a key of its own for it, as a credential.',
      }),
      models: Type.Integer({ minimum: 0, description: 'How many of its models are enabled.' }),
      deployments: Type.Array(
        Closed({
          name: Type.String(),
          weight: Type.Integer({ minimum: 1 }),
          state: OneOf(
            ['ready', 'busy', 'failing', 'refused'],
            'As the answering process sees it. refused: the vendor refuses the key; busy: it asked to wait.',
          ),
          refusedAt: Nullable(
            Type.String({
              format: 'date-time',
              description: 'Since when the vendor refuses the key, as the process has seen it.',
            }),
          ),
          until: Nullable(
            Type.String({ format: 'date-time', description: 'When it is tried again.' }),
          ),
        }),
        { description: 'The keys of the server, if the operator named several.' },
      ),
    }),
  ),
  modelsFile: Nullable(
    Closed(watchedFile, { description: 'The operator’s file of models; null if there is none.' }),
  ),
  pricesFile: Nullable(
    Closed(
      {
        ...watchedFile,
        source: Type.String({ description: 'Where its prices are from, as it says itself.' }),
        date: Nullable(Type.String({ description: 'The day it states for them.' })),
        models: Count,
      },
      { description: 'The operator’s file of prices; null if there is none.' },
    ),
  ),
  limits: Closed({
    requestsPerMinute: perMinute,
    chatPerMinute: perMinute,
    generationPerMinute: perMinute,
    runPerMinute: perMinute,
    spendPerMonth: Nullable(Money),
    tasksInFlight: Count,
    activeRuns: Count,
    queuedRuns: Count,
    workflowNodes: Count,
    workflowConnections: Count,
    mediaBytes: Count,
    runSeconds: Count,
    chatSeconds: Count,
    imageTaskSeconds: Count,
    videoTaskSeconds: Count,
  }),
  retentionDays: Count,
  signUp: OneOf(['open', 'first-user', 'closed']),
  oidc: Type.Boolean({ description: 'True if people can sign in with an OpenID provider.' }),
})
export type ServerFacts = Static<typeof ServerFacts>
